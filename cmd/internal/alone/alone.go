// Package alone classifies or learns one message while it is being imported, if the command
// asks for nothing else and there is no daemon: before packages and flags are initialised that
// only other commands need. It leaves everything unusual to the program, which starts as
// usual.
package alone

import (
	"context"
	"fmt"
	"os"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus/message"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/internal/crash"
	"github.com/polya-classifier/polya/cmd/internal/early"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/cmd/internal/memory"
	"github.com/polya-classifier/polya/cmd/internal/oneshot"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store"
)

func init() {
	b, ok := early.Alone()
	if !ok {
		return
	}
	code, done := 0, false
	if c := crash.Catch(func() { code, done = run(b) }); c == nil && done {
		os.Exit(code)
	}
}

// run runs the command. done is false if the program has to run it.
func run(b *early.Brief) (code int, done bool) {
	memory.CollectLater()
	memory.Bound()
	to := &terminal.Streams{Stdout: os.Stdout, Stderr: os.Stderr, Quiet: b.Quiet}
	do := classified
	switch b.Name {
	case "filter":
		return filtered(to, b.Database)
	case "train":
		do = learned
	case "classify":
	default:
		return 0, false
	}
	if b.Path == "-" && b.Changes() && !isFile(os.Stdin) {
		return 0, false // the user may type it and press Ctrl-C, which the program handles
	}
	content, ok := b.Document(b.Database)
	if !ok {
		return 0, false
	}
	if content, ok = message.Sure(b.Path, content); !ok {
		return 0, false
	}
	return do(to, b, content)
}

// classified prints the answer about a message if it is sure.
func classified(to *terminal.Streams, b *early.Brief, content []byte) (code int, done bool) {
	c, err := classify.Open(b.Database, classify.Options{Store: store.Options{ReadOnly: true, Timeout: atOnce}})
	if err != nil {
		return 0, false
	}
	doc := mail.Document(c, content)
	r, err := c.Classify(context.Background(), doc)
	if err != nil || r.Unsure || len(doc.Attributes) > 0 {
		c.Close()
		return 0, false
	}
	if !terminal.Ready(os.Stdout) {
		c.Close() // or who trains would wait for who reads the answer
	}
	_, err = to.Stdout.Write(append(terminal.AppendAnswer(nil, r.Class, r.Probability, b.Path), '\n'))
	return ended(to, err), true // the end of the process closes the unchanged database
}

// learned learns a message that is new, or was learned as the same class, and says so.
func learned(to *terminal.Streams, b *early.Brief, content []byte) (code int, done bool) {
	c, err := classify.Open(b.Database, classify.Options{Store: store.Options{MustExist: true, Share: true, Timeout: atOnce}})
	if err != nil {
		return 0, false
	}
	defer c.Close()
	doc := mail.Document(c, content)
	if len(doc.Attributes) > 0 || !usual(c.Store(), &doc, b.Class) {
		return 0, false
	}
	var batch classify.Batch
	if err := batch.Train(b.Class, doc); err != nil {
		return 0, false
	}
	applied, err := c.Apply(context.Background(), &batch)
	if err != nil {
		return 0, false
	}
	holdings.Learned(to, c.Store(), applied, false, nil)
	if applied.Learned > 0 {
		wait := to.NewFileWait("fitting", b.Database)
		err = c.Refit(context.Background())
		wait.Done()
	}
	return ended(to, err), true
}

// filtered passes a message on with its answer.
func filtered(to *terminal.Streams, database string) (code int, done bool) {
	m, err := early.Message(os.Stdin)
	if err != nil {
		return 0, false
	}
	db := &oneshot.Database{Path: database, Spam: []string{spam}, Asked: classify.Options{
		Decision: decision.Filter{Positive: spam}, Store: store.Options{Share: true, Timeout: atOnce},
	}}
	a, err := db.Classify(context.Background(), m.Request(""), false)
	if err != nil {
		return 0, false
	}
	if err := m.Edited([]header.Field{{Name: backend.ResultField, Value: a.Field()}}, header.Ours)(to.Stdout); err != nil {
		ended(to, err)
		return early.TempFail, true
	}
	return 0, true
}

// atOnce is the timeout for a database in use, practically none: the program waits, and says so.
const atOnce = 1

// spam is the class that 'polya filter' without flags asks for.
const spam = "spam"

// usual reports whether the class exists and the document is not learned as another.
func usual(db *store.DB, doc *classify.Document, class string) (ok bool) {
	err := db.View(func(s *store.Snapshot) error {
		if _, err := holdings.Class(db, class); err != nil {
			return err
		}
		e, err := s.Entry(doc.ID)
		ok = err == nil && (e == nil || e.Class == class)
		return err
	})
	return err == nil && ok
}

func isFile(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// ended prints what went wrong and returns the exit code.
func ended(to *terminal.Streams, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(to.Stderr, "polya: %s\n", terminal.Printable(err.Error()))
	return early.Trouble
}
