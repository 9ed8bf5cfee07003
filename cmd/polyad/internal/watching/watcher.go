// Package watching polls a mailbox and does what package filing decides: it files new mail, and
// learns from messages that a person has moved. It records each action in a file before doing
// it, so that whenever the process ends no message is lost, moved twice, or learned as a class
// that nobody chose.
package watching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

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
)

// A Box is a mailbox.
type Box interface {
	// List returns the messages in a folder, without drafts and messages marked as deleted.
	List(ctx context.Context, folder string) ([]Copy, error)
	// Read returns a message as delivered.
	Read(ctx context.Context, folder, key string) ([]byte, error)
	// Move moves a message and returns its key in the other folder, "" if unknown. It never
	// overwrites another message.
	Move(ctx context.Context, from, key, to string) (newKey string, err error)
	// Mark marks a message as belonging to a folder.
	Mark(ctx context.Context, folder, key, belongs string) error
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
	// Teach learns the lessons and returns when they are on disk. A message already learned so is no
	// error.
	Teach(ctx context.Context, lessons []Lesson) error
	// Close releases the database until the next question.
	Close() error
}

// An Event is an action that was done. It has no content of the message.
type Event struct {
	Act         string  // learned, forgotten, filed, marked or left
	Folder, Key string  // where the message was found
	To          string  // the folder that it was filed or marked for
	Class       string  // class of the message
	Probability float64 // of Class, unless it was learned
	Err         error   // why it was left

	// First is not nil where the event is all that a first look has learned: how many messages
	// of each class.
	First map[string]int
}

// String returns the event as a line. Names in it may have to be escaped.
func (e Event) String() string {
	at := e.Folder + "/" + e.Key
	switch {
	case e.First != nil:
		var of []string
		for _, class := range slices.Sorted(maps.Keys(e.First)) {
			of = append(of, fmt.Sprintf("%d as %s", e.First[class], class))
		}
		return "first look: learned " + strings.Join(of, ", ")
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", at, e.Err)
	case e.To != "":
		return fmt.Sprintf("%s: %s for %s, %.4f", at, e.Act, e.To, e.Probability)
	case e.Act == "left":
		return fmt.Sprintf("%s: left, %s %.4f", at, cmp.Or(e.Class, "unsure"), e.Probability)
	}
	return fmt.Sprintf("%s: %s as %s", at, e.Act, e.Class)
}

// Options say what a Watcher watches.
type Options struct {
	Mailbox string // a unique name
	State   string // the path of the state file
	Dry     bool   // only report actions
	Rules   filing.Rules
	Box     Box
	Book    Book
	Report  func(Event)

	memory bolt.Options // of the state
}

// A Watcher watches one mailbox, in one goroutine.
type Watcher struct {
	Options
	memory *memory
	first  map[place]time.Time // when copies to look at again were first seen
	now    func() time.Time
}

// Open returns a Watcher. No other process can use the state until it is closed. It is an error
// if the state has learned messages but their database is gone: they would not be learned again.
func Open(o Options) (*Watcher, error) {
	m, err := openMemory(o.State, o.Mailbox, o.Dry, o.memory)
	if err != nil {
		return nil, err
	}
	if m.hasLearned(o.Rules) {
		made, err := o.Book.Made()
		_ = o.Book.Close()
		if err == nil && !made {
			err = fmt.Errorf("%s: it says what was learned, but the database is gone: remove this file too, and what lies in the folders is learned as it is", o.State)
		}
		if err != nil && !errors.Is(err, store.ErrInUse) { // that is temporary
			return nil, errors.Join(err, m.db.Close())
		}
	}
	return &Watcher{Options: o, memory: m, first: map[place]time.Time{}, now: time.Now}, nil
}

// Close ends the Watcher.
func (w *Watcher) Close() error { return errors.Join(w.Book.Close(), w.memory.db.Close()) }

// Once looks at the mailbox once, and acts on changes. If again is not 0 the caller should call
// it again after that time.
func (w *Watcher) Once(ctx context.Context) (again time.Duration, err error) {
	defer w.Book.Close()
	r := round{Watcher: w, present: map[string]map[count.DocID]int{}, learned: map[string]int{}}
	if err := r.list(ctx); err != nil {
		return 0, err
	}
	for len(r.tasks) > 0 && err == nil {
		r.tasks, err = r.some(ctx, r.tasks)
	}
	if len(r.learned) > 0 {
		w.Report(Event{First: r.learned})
	}
	if err == nil && r.again == 0 {
		err = w.memory.lookedThrough()
	}
	return r.again, err
}
