//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/store"
)

// check asks all nodes, which have applied the same log, about the same messages, learned
// and unknown ones, and runs verify. Answers are compared byte by byte, with their
// reasons.
func (f *fleet) check(ctx context.Context, sample int) error {
	if _, err := f.command(ctx, 0, "verify"); err != nil {
		return err
	}
	for i := range sample {
		raw := f.messages[i*len(f.messages)/sample].raw
		if i%2 == 0 {
			raw = f.lesson(i * int(f.last.Load()) / sample).raw
		}
		var first []byte
		for _, n := range f.nodes {
			answer, err := n.ask(ctx, "POST", "/v1/explain", raw)
			if err != nil {
				return err
			}
			if first == nil {
				first = answer
			}
			if !bytes.Equal(first, answer) {
				return fmt.Errorf("message %d: node %s answers %s, and node %s %s", i, name(0), first, name(n.number), answer)
			}
		}
	}
	return nil
}

// found compares the ledgers of all nodes with the lessons.
type found struct {
	Right     int
	Lost      int // acknowledged, but missing
	Wrong     int // in another class, or present although forgotten
	Overtaken int // the same for messages with a failed try, which may have been applied after a later step
	Beyond    int // never taught
}

// ledgers compares the ledger of each node with the lessons.
func (f *fleet) ledgers(ctx context.Context) (all found, err error) {
	numbers := make(map[string]int, f.last.Load())
	for i := range int(f.last.Load()) {
		id := f.lesson(i).id()
		numbers[hex.EncodeToString(id[:])] = i
	}
	var bad []string
	for _, n := range f.nodes {
		has := make(map[int]string, len(numbers))
		if err := n.ledger(ctx, func(e entry) {
			if i, ok := numbers[e.ID]; ok {
				has[i] = e.Class
			} else {
				all.Beyond++
			}
		}); err != nil {
			return all, err
		}
		for i := range len(numbers) {
			l := f.lesson(i)
			is := has[i]
			switch {
			case is == l.class():
				all.Right++
				continue
			case is == "":
				all.Lost++
			case f.failed[i]:
				all.Overtaken++
				f.overtaken[i] = is
			default:
				all.Wrong++
			}
			bad = append(bad, fmt.Sprintf("node %s: message %d, taught as %q: %q", name(n.number), i, l.steps, is))
		}
	}
	if all.Lost+all.Wrong+all.Beyond > 0 {
		err = fmt.Errorf("of the ledgers' entries %+v: %s", all, strings.Join(bad[:min(len(bad), 5)], "; "))
	}
	return all, err
}

// alone compares the databases of the nodes, which have ended: with each other, ledger
// included, and their counts with the counts of a single database that learned the same.
func (f *fleet) alone(ctx context.Context) (dump string, err error) {
	for _, n := range f.nodes {
		if err := n.end(syscall.SIGTERM); err != nil {
			return "", err
		}
	}
	truth, err := f.learnAlone(ctx)
	if err != nil {
		return "", err
	}
	for i, n := range f.nodes {
		db, err := store.Open(n.path("mail.polya"), store.Options{ReadOnly: true})
		if err != nil {
			return "", err
		}
		whole, counts := sha256.New(), sha256.New()
		err = errors.Join(db.Dump(ctx, whole, true), db.Dump(ctx, counts, false), db.Close())
		if err != nil {
			return "", err
		}
		if hash := hex.EncodeToString(whole.Sum(nil)); i == 0 {
			dump = hash
		} else if hash != dump {
			return "", fmt.Errorf("the dump of node %s has the hash %s, and that of node %s %s", name(0), dump, name(i), hash)
		}
		if !bytes.Equal(counts.Sum(nil), truth) {
			return "", fmt.Errorf("the counts of node %s are not those of a database that learned the same by itself", name(i))
		}
	}
	return dump, nil
}

// learnAlone returns the hash of the counts of a single database that learned the result
// of the lessons.
func (f *fleet) learnAlone(ctx context.Context) ([]byte, error) {
	c, err := classify.Open(filepath.Join(f.dir, "alone.polya"), classify.Options{Fitting: classify.FitByHand})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var b classify.Batch
	for i := range int(f.last.Load()) {
		l := f.lesson(i)
		if class := cmp.Or(f.overtaken[i], l.class()); class != "" {
			if err := b.Train(class, mail.Document(c, l.raw)); err != nil {
				return nil, err
			}
		}
		if b.Len() == 1000 || i+1 == int(f.last.Load()) {
			if _, err := c.Apply(ctx, &b); err != nil {
				return nil, err
			}
			b.Reset()
		}
	}
	hash := sha256.New()
	err = c.Store().Dump(ctx, io.Writer(hash), false)
	return hash.Sum(nil), err
}
