package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/polya-classifier/polya/benchmarks/zipf"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// The events of a mailbox, per message learned. Half of the messages moved or forgotten
// are among the last thousand, the others are drawn from all.
const (
	againShare  = 5  // in hundredths: learned a second time, which changes nothing
	movedShare  = 5  // moved to the other class
	forgetShare = 15 // forgotten
)

// mailbox simulates the users of a database, and knows its expected content.
type mailbox struct {
	options *options
	path    string
	random  *rand.Rand
	corpus  zipf.Corpus
	drawn   zipf.Document

	db      *store.DB
	classes []int8 // of each message learned; gone if it was forgotten
	held    int
	next    int // message to learn

	moved, forgotten, again, refused int
	lastCompared                     int

	// since the last comparison
	largest int64
	file    os.FileInfo
	copies  int   // how often another file has replaced the file
	copied  int64 // bytes of these

	longestCall, longestClose time.Duration
}

const gone = -1

func newMailbox(o *options, path string) *mailbox {
	return &mailbox{
		options: o, path: path,
		random: rand.New(rand.NewPCG(o.seed, 1)),
		corpus: zipf.Corpus{Seed: o.seed, Classes: 2, Terms: o.terms},
	}
}

// due reports whether another n messages were learned since the last comparison.
func (b *mailbox) due(n int) bool { return b.next/n > b.lastCompared/n }

func (b *mailbox) open() error {
	if b.db != nil {
		return nil
	}
	db, err := store.Open(b.path, store.Options{Ledger: b.options.ledger})
	b.db = db
	return err
}

func (b *mailbox) close() error {
	if b.db == nil {
		return nil
	}
	start := time.Now()
	err := b.db.Close()
	b.longestClose = max(b.longestClose, time.Since(start))
	b.db = nil
	return err
}

// step learns a few messages in one call, and then calls later once for each.
func (b *mailbox) step(ctx context.Context) error {
	n := min(1+b.random.IntN(b.options.batch), b.options.messages-b.next)
	var d store.Delta
	for range n {
		b.corpus.Draw(b.next, &b.drawn)
		if err := d.Add(b.drawn.Stored()); err != nil {
			return err
		}
		b.classes = append(b.classes, int8(b.drawn.Class))
		b.next++
		b.held++
	}
	if err := b.apply(&d); err != nil {
		return err
	}
	for range n {
		if err := b.later(); err != nil {
			return err
		}
	}
	if p := b.options.prune; p > 0 && b.next/p > (b.next-n)/p {
		return b.prune(ctx)
	}
	return nil
}

// later draws a message and, at random, learns it again, moves it, forgets it or does nothing.
func (b *mailbox) later() error {
	i, found := b.any()
	if !found {
		return nil
	}
	var d store.Delta
	doc := b.document(i)
	switch p := b.random.IntN(100); {
	case p < againShare:
		if b.options.ledger == count.LedgerNone {
			return nil // it would be counted twice
		}
		b.again++
		if err := d.Add(doc); err != nil {
			return err
		}
		return b.apply(&d)
	case p < againShare+movedShare:
		return b.move(i, doc)
	case p < againShare+movedShare+forgetShare:
		if err := d.Take(doc); err != nil {
			return err
		}
		return b.taken(b.apply(&d), func() {
			b.forgotten++
			b.held--
			b.classes[i] = gone
		})
	}
	return nil
}

func (b *mailbox) move(i int, doc count.Document) error {
	var d store.Delta
	if b.options.ledger == count.LedgerNone {
		if err := d.Take(doc); err != nil {
			return err
		}
	}
	doc.Class = zipf.ClassName(1 - int(b.classes[i]))
	if err := d.Add(doc); err != nil {
		return err
	}
	return b.taken(b.apply(&d), func() {
		b.moved++
		b.classes[i] = 1 - b.classes[i]
	})
}

// taken calls f unless err says that a document cannot be taken away, since its terms
// were pruned and no ledger has them.
func (b *mailbox) taken(err error, f func()) error {
	if errors.Is(err, store.ErrNoCounts) || errors.Is(err, count.ErrNotLearned) && b.options.ledger == count.LedgerNone {
		b.refused++
		return nil
	}
	if err == nil {
		f()
	}
	return err
}

// any draws a message of the mailbox.
func (b *mailbox) any() (int, bool) {
	for range 20 {
		i := b.random.IntN(len(b.classes))
		if b.random.IntN(2) == 0 {
			i = max(len(b.classes)-1000, 0) + i%min(len(b.classes), 1000)
		}
		if b.classes[i] != gone {
			return i, true
		}
	}
	return 0, false
}

// document returns message i with its current class.
func (b *mailbox) document(i int) count.Document {
	b.corpus.Draw(i, &b.drawn)
	doc := b.drawn.Stored()
	doc.Class = zipf.ClassName(int(b.classes[i]))
	return doc
}

// apply does one training with the simulated kind of process.
func (b *mailbox) apply(d *store.Delta) error {
	if err := b.open(); err != nil {
		return err
	}
	start := time.Now()
	_, err := b.db.Apply(d)
	b.longestCall = max(b.longestCall, time.Since(start))
	if b.options.process == "oneshot" {
		err = errors.Join(err, b.close())
	}
	b.watch()
	return err
}

// watch checks the file after a call.
func (b *mailbox) watch() {
	info, err := os.Stat(b.path)
	if err != nil {
		return
	}
	b.largest = max(b.largest, info.Size())
	if b.file != nil && !os.SameFile(b.file, info) {
		b.copies++
		b.copied += info.Size()
	}
	b.file = info
}

// prune drops the terms that one document has.
func (b *mailbox) prune(ctx context.Context) error {
	if err := b.open(); err != nil {
		return err
	}
	_, err := b.db.Prune(ctx, func(_ []byte, cells []count.Cell) bool {
		return len(cells) == 1 && cells[0].DF == 1
	})
	if err == nil && b.options.process == "oneshot" {
		err = b.close()
	}
	if err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	return nil
}
