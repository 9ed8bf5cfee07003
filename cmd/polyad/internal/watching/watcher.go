// Package watching polls a mailbox and does what package filing decides: it files new mail, and
// learns from messages that a person has moved. It records each action in a file before doing
// it, so that whenever the process ends no message is lost, moved twice, or learned as a class
// that nobody chose.
package watching

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/text/unicode/norm"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Copy is a message as a folder lists it.
type Copy struct {
	Key       string // its name in the folder, constant while it is there
	Read      bool   // somebody has read it, answered it, or flagged it
	Delivered time.Time
}

// Errors of a Box about one message. Other messages are still handled.
var (
	// ErrGone says that the message is no longer in the folder.
	ErrGone = errors.New("it is not there any more")
	// ErrUnusable says that the message cannot be read or moved, now or later.
	ErrUnusable = errors.New("it is left where it is")
	// ErrFolder says that a folder cannot be moved into or listed, as it is missing or may not be
	// changed or read. It is tried again.
	ErrFolder = errors.New("mail for this folder stays in the inbox and is tried again")
)

// ErrLogin is the error of a Box whose server refuses who asks. Servers lock accounts for which that is tried often.
var ErrLogin = errors.New("the login is refused: correct user or password, and begin again (a watcher tries ever less often, at last once an hour)")

// MaxMessage is the largest message, in bytes, that is read. A longer one is left where it is.
const MaxMessage = 64 << 20

// ReadMessage reads a message from a stream, with an error that wraps ErrUnusable.
func ReadMessage(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxMessage+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	case len(raw) > MaxMessage:
		return nil, fmt.Errorf("%w: it is longer than %d MiB", ErrUnusable, MaxMessage>>20)
	}
	return raw, nil
}

// ReadFile reads the message in a file, opened with further flags, and does not wait for a pipe in its place: it
// returns the error of a missing one, and others with an error that wraps ErrUnusable.
func ReadFile(path string, flags int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err == nil {
		defer f.Close()
		if info, _ := f.Stat(); info != nil && info.Mode().IsRegular() {
			return ReadMessage(f)
		}
		err = errors.New("it is no regular file")
	}
	if !errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	return nil, err
}

// errMissing is what is reported of a folder with a rule.
var errMissing = errors.New("there is no folder of that name: was it renamed or removed? Its rule waits until it is back, or the settings name another")

// A Box is a mailbox: files, a server, or a store of tags.
type Box interface {
	// Folders returns the folders to look at.
	Folders(ctx context.Context) ([]string, error)
	// List returns the messages in a folder, without drafts and messages marked as deleted. A
	// missing folder is empty; one that may not be read is ErrFolder.
	List(ctx context.Context, folder string) ([]Copy, error)
	// Read returns a message as delivered.
	Read(ctx context.Context, folder, key string) ([]byte, error)
	// Move moves a message, over no other.
	Move(ctx context.Context, from, key, to string) error
	// Suggest marks a message as one that may belong into these folders, if it can be marked.
	Suggest(ctx context.Context, folder, key string, folders []string) error
	// Unsuggest takes the marks of Suggest off all messages in a folder, as List found them.
	Unsuggest(ctx context.Context, folder string) error
	// Wait waits for a change since List, at most for the given time.
	Wait(ctx context.Context, most time.Duration) error
	// Close ends the use of the mailbox.
	Close() error
}

// A Lesson is a training on a message.
type Lesson struct {
	Message []byte
	ID      count.DocID
	Class   string
	Forget  bool // forget it if it is learned as Class
}

// A Book is the database of what was learned.
type Book interface {
	// Made reports whether there is a database.
	Made() (bool, error)
	// Learned returns the ledger's entries for messages.
	Learned(ctx context.Context, ids []count.DocID) ([]filing.Learned, error)
	// Answer says where a message belongs.
	Answer(ctx context.Context, message []byte) (filing.Answer, error)
	// Teach learns the lessons and returns when they are on disk. They may be learned already.
	Teach(ctx context.Context, lessons []Lesson) error
	// Close releases the database until the next question.
	Close() error
}

// Shown returns a folder or class for people: a set of tags without the comma before it, the
// folder of a Maildir as mail programs show it, after its dot, an ü in one letter however it is written there.
func Shown(name string) string {
	if name == filing.Untagged {
		return "untagged"
	}
	if folder, ok := strings.CutPrefix(name, "."); ok {
		name = "." + corpus.FolderName(folder)
	}
	return norm.NFC.String(strings.TrimPrefix(name, ","))
}

// Options say what a Watcher watches.
type Options struct {
	Mailbox string // a unique name
	State   string // the path of the state file
	Dry     bool   // only report actions
	Rules   filing.Rules
	OldAge  time.Duration // messages in the inbox that are older count as read; 0: none
	Box     Box
	Book    Book
	Report  func(line string) // of an action that was done, without the content of a message; names may have to be escaped

	memory bolt.Options // of the state
}

// A Watcher watches one mailbox, in one goroutine.
type Watcher struct {
	Options
	memory *memory
	said   map[string][]string // by folder: what was reported about it, see gist
	now    func() time.Time
}

// Open returns a Watcher. No other process can use the state until it is closed. It is an error
// if the state has learned messages but their database is gone: they would not be learned again.
func Open(o Options) (*Watcher, error) {
	m, err := openMemory(o.State, o.Mailbox, o.Dry, o.memory)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(m.records)), func(r filing.Record) bool { // it was learned as its folder's class, or filed
		f := o.Rules.Named(r.Folder)
		return f != nil && f.Class != "" && r.Stage == filing.Settled
	}) {
		made, err := o.Book.Made()
		_ = o.Book.Close()
		if err == nil && !made {
			err = fmt.Errorf("%s: it says what was learned, but the database is gone: remove this file too, and polya learns the folders as they are", o.State)
		}
		if err != nil && !errors.Is(err, store.ErrInUse) { // that is temporary
			return nil, errors.Join(err, m.Close())
		}
	}
	return &Watcher{Options: o, memory: m, said: map[string][]string{}, now: time.Now}, nil
}

// Close ends the Watcher, and the use of the mailbox.
func (w *Watcher) Close() error {
	return errors.Join(w.Book.Close(), w.memory.Close(), w.Box.Close())
}

// say reports once what is wrong with a folder.
func (w *Watcher) say(folder string, err error) {
	if text := gist(err); !slices.Contains(w.said[folder], text) {
		w.said[folder] = append(w.said[folder], text)
		w.Report(fmt.Sprintf("%s: %v", Shown(folder), err))
	}
}

// gist returns the words of an error: servers add the time, and how long they took.
func gist(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}

// Once looks at the mailbox and acts on changes.
func (w *Watcher) Once(ctx context.Context) (err error) {
	defer w.Book.Close()
	r := round{Watcher: w, present: map[lying]int{}, handled: map[string]bool{}, listed: newChange(), learned: map[string]int{}}
	if err := r.list(ctx); err != nil {
		return err
	}
	for len(r.tasks) > 0 && err == nil {
		r.tasks, err = r.some(ctx, r.tasks)
	}
	if len(r.learned) > 0 {
		var of []string
		for _, class := range slices.Sorted(maps.Keys(r.learned)) {
			of = append(of, fmt.Sprintf("%d as %s", r.learned[class], Shown(class)))
		}
		w.Report("first look: learned " + strings.Join(of, ", "))
	}
	if err == nil {
		err = w.memory.lookedThrough()
	}
	return err
}

// Run waits for firstWait after a failure, then twice as long each time, up to longestWait; after a refused login for
// the others.
const (
	firstWait, firstLoginWait     = time.Second, time.Minute
	longestWait, longestLoginWait = 5 * time.Minute, time.Hour
)

// Run looks at the mailbox until ctx is done, after each change and at least at every interval.
// It retries after a failure, and reports a repeated failure once to trouble.
func (w *Watcher) Run(ctx context.Context, interval time.Duration, trouble func(error)) {
	said, pause := "", time.Duration(0)
	for ctx.Err() == nil {
		err := w.Once(ctx)
		if err == nil {
			err = w.Box.Wait(ctx, interval)
		}
		if err == nil {
			said, pause = "", 0
			continue
		}
		first, longest := firstWait, longestWait
		if errors.Is(err, ErrLogin) {
			first, longest = firstLoginWait, longestLoginWait
		}
		if ctx.Err() == nil && gist(err) != said {
			said = gist(err)
			trouble(err)
		}
		pause = min(max(2*pause, first), longest)
		_ = Pause(ctx, pause)
	}
}

// Pause waits for a time, or returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
