// Package watching looks at a mailbox again and again, and does what package filing decides:
// new mail is filed, and what a person has moved is learned. It remembers what it does in a
// file of its own before it does it, so that whenever the process ends no message is lost,
// is moved twice, or is learned as what nobody has said.
package watching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/cmd/polya/internal/filing"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Copy is a message as a folder lists it.
type Copy struct {
	Key       string // what it is called in the folder, as long as it lies there
	Read      bool   // somebody has read it, answered it, or flagged it
	Delivered time.Time
}

// Errors of a Box about one message, which do not keep others from being looked at.
var (
	// ErrGone says that the message is not in the folder any more.
	ErrGone = errors.New("it is not there any more")
	// ErrUnusable says that the message cannot be read or moved, now or later.
	ErrUnusable = errors.New("it is left where it is")
)

// A Box is a mailbox.
type Box interface {
	// List returns what lies in a folder, without drafts and what is marked as deleted.
	List(ctx context.Context, folder string) ([]Copy, error)
	// Read returns a message as it was delivered.
	Read(ctx context.Context, folder, key string) ([]byte, error)
	// Move moves a message and returns what it is called in the other folder, "" if that
	// is not known. It never overwrites another message.
	Move(ctx context.Context, from, key, to string) (newKey string, err error)
	// Mark marks a message as belonging to a folder.
	Mark(ctx context.Context, folder, key, belongs string) error
}

// A Lesson is what is learned of a message.
type Lesson struct {
	Message []byte
	ID      count.DocID
	Class   string
	Forget  bool // if it is learned as Class
}

// A Book has what was learned.
type Book interface {
	// Made reports whether there is a database.
	Made() (bool, error)
	// Learned returns what is learned of messages.
	Learned(ctx context.Context, ids []count.DocID) ([]filing.Learned, error)
	// Answer says where a message belongs.
	Answer(ctx context.Context, message []byte) (filing.Answer, error)
	// Teach learns all of the lessons, or none, and returns when that is on the disk. What
	// is learned so already is no error.
	Teach(ctx context.Context, lessons []Lesson) error
	// Close frees what was opened to answer, until something is asked again.
	Close() error
}

// An Event is something that was done. It has nothing of the message.
type Event struct {
	Act         string  // learned, forgotten, filed, marked or left
	Folder, Key string  // where the message was found
	To          string  // the folder that it was filed or marked for
	Class       string  // that it is of
	Probability float64 // of Class, unless it was learned
	Err         error   // why it was left
}

// String returns the event as a line. What is in it may have to be escaped.
func (e Event) String() string {
	at := e.Folder + "/" + e.Key
	switch {
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
	Mailbox string // a name that no other mailbox has
	State   string // the path of the file of what is remembered
	Dry     bool   // say what would be done, and do nothing
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
	first  map[place]time.Time // when copies were first seen that are to be looked at again
	now    func() time.Time
}

// Open returns a Watcher. No other process has the state until it is closed. If the database of
// what the state says was learned is gone, that is an error: nothing would be learned anew.
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
		if err != nil && !errors.Is(err, store.ErrInUse) { // that passes
			return nil, errors.Join(err, m.db.Close())
		}
	}
	return &Watcher{Options: o, memory: m, first: map[place]time.Time{}, now: time.Now}, nil
}

// Close ends it.
func (w *Watcher) Close() error { return errors.Join(w.Book.Close(), w.memory.db.Close()) }

// Once looks at the mailbox once, and does what is to be done. If again is not 0 it is to be
// called once more after that time.
func (w *Watcher) Once(ctx context.Context) (again time.Duration, err error) {
	defer w.Book.Close()
	r := round{Watcher: w, present: map[string]map[count.DocID]int{}}
	if err := r.list(ctx); err != nil {
		return 0, err
	}
	for len(r.tasks) > 0 && err == nil {
		r.tasks, err = r.some(ctx, r.tasks)
	}
	if err == nil && r.again == 0 {
		err = w.memory.lookedThrough()
	}
	return r.again, err
}
