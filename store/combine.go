package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// MergeFrom adds what other has learned to db. Where the ledger of other keeps
// the counts of all its documents, each is added by its id: what db has learned
// already is not learned again, what it learned as another class is moved, and
// merging twice changes nothing, unless db keeps no ledger. The documents are added in
// several transactions, of which those before an error stay. Otherwise the counts are
// added as they are, with what the ledger of other knows; then the two may not have a
// document in common, or the error wraps ErrOverlap. Both must have the same analyzer, or
// the error is an *AnalyzerError, both tags or both classes, or it wraps ErrTags, and attributes of the same kinds, or it wraps an
// *count.AttributeError. other is not changed.
func (db *DB) MergeFrom(ctx context.Context, other *DB) (Applied, error) {
	return db.mergeFrom(ctx, other, false)
}

// MergeAgain is MergeFrom for a database that may have been merged before: documents
// that its ledger does not know count once more.
func (db *DB) MergeAgain(ctx context.Context, other *DB) (Applied, error) {
	return db.mergeFrom(ctx, other, true)
}

func (db *DB) mergeFrom(ctx context.Context, other *DB, again bool) (Applied, error) {
	if other == db {
		return Applied{}, db.fail(fmt.Errorf("merging a database with itself: %w", ErrOverlap))
	}
	if err := db.asks(other.analyzer, other.Tags()); err != nil {
		return Applied{}, db.fail(err)
	}
	var total Applied
	docs := 0
	err := other.View(func(s *Snapshot) error {
		whole, err := s.ledgerIsWhole()
		if err != nil {
			return err
		}
		if whole {
			return s.addDocuments(ctx, db, &total)
		}
		d, n, err := s.delta(ctx)
		if err != nil {
			return err
		}
		docs = n
		if s.totals.Loose() {
			d.origin, d.again = originOf("database", other.header.Key[:]), again
		}
		total, err = db.apply(ctx, d, 0)
		return err
	})
	if err == nil {
		total.Learned += docs
	}
	return total, err
}

// ledgerIsWhole reports whether the ledger keeps the counts of every document.
func (s *Snapshot) ledgerIsWhole() (bool, error) {
	if s.totals.Loose() {
		return false, nil
	}
	whole := true
	err := s.entries(func(_ count.DocID, rec *stored.Record, _ *stored.Entry) error {
		if whole = rec != nil; !whole {
			return errNothing
		}
		return nil
	})
	if err == errNothing {
		err = nil
	}
	return whole, s.db.fail(err)
}

// addSize is how many bytes of documents are added in one transaction.
const addSize = 32 << 20

func (s *Snapshot) addDocuments(ctx context.Context, db *DB, total *Applied) error {
	var d Delta
	size := 0
	flush := func() error {
		a, err := db.apply(ctx, &d, 0)
		total.add(a)
		d.Reset()
		size = 0
		return err
	}
	err := s.entries(func(_ count.DocID, rec *stored.Record, _ *stored.Entry) error {
		raw := bytes.Clone(rec.Doc.Raw)
		d.steps = append(d.steps, step{stepAdd, s.className(rec.Class), raw})
		if size += len(raw); size < addSize {
			return ctx.Err()
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// delta returns everything that s has counted, and the number of documents.
func (s *Snapshot) delta(ctx context.Context) (*Delta, int, error) {
	d := new(Delta)
	all := summed.Documents{Epoch: s.totals.Epoch}
	docs := 0
	index := make([]uint32, len(s.Classes()))
	for i, c := range s.Classes() {
		index[i] = uint32(len(all.Classes))
		if c.Docs > 0 {
			all.Classes = append(all.Classes, count.Class{Name: c.Name, Docs: c.Docs, Lengths: c.Lengths, Dropped: c.Dropped, DroppedWeight: c.DroppedWeight})
			docs += int(c.Docs)
		}
	}
	err := s.Scan(true, func(term []byte, cells []count.Cell) error {
		out := make([]table.Cell, len(cells))
		for i, c := range cells {
			out[i] = table.Cell{Class: index[c.Class], DF: c.DF, TF: c.TF, W: c.W, U: c.U}
		}
		slices.SortFunc(out, func(a, b table.Cell) int { return cmp.Compare(a.Class, b.Class) })
		all.AddRow(term, s.row.Epoch, out)
		return ctx.Err()
	})
	if err != nil {
		return nil, 0, err
	}
	if all.Attributes, err = s.sumAttributes(); err != nil {
		return nil, 0, s.db.fail(err)
	}
	d.sums = []summed.Documents{all}
	err = s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		if rec == nil {
			raw := append(bytes.Clone(id[:]), e.Encode(id)...)
			d.steps = append(d.steps, step{stepDigest, s.className(e.Class), raw})
			return nil
		}
		d.steps = append(d.steps, step{stepNote, s.className(rec.Class), bytes.Clone(rec.Doc.Raw)})
		return nil
	})
	return d, docs, s.db.fail(err)
}
