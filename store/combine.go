package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// MergeOptions specify what happens to documents that would count twice.
type MergeOptions struct {
	// Again merges a database that was merged before: documents that its ledger does not
	// know count once more.
	Again bool

	// Twice counts a document twice if both have learned it and neither ledger keeps its
	// counts: it stays in the ledger as it is, and counts once more, in the other database's
	// class, as a document that the ledger does not know. Applied.Twice counts such
	// documents. Without Twice they are ErrOverlap.
	Twice bool
}

// Merge adds what others have learned to db, in their order, and leaves what learning
// their documents one by one would leave: what db has learned already is not learned
// again, and what it learned as another class is moved. Where the ledger of another keeps
// the counts of all its documents, each is added by its id, unless db was empty and each database
// has greater ids than those before. Otherwise its counts are added as they are, with what its
// ledger knows, and the counts of a document that both know are subtracted once. For that one of
// the two ledgers must keep them, and both must mean the same counts; for other documents see
// MergeOptions.Twice. A document that one of the two ledgers does not know at all may count
// twice, undetected.
//
// As many databases as memory allows share a transaction, and one pass through all tables; with
// an error those before it stay merged. All must have the same analyzer, or the error is an
// *AnalyzerError, all tags or all classes, and attributes of the same
// kinds, or it wraps an *count.AttributeError. The others are not changed.
func (db *DB) Merge(ctx context.Context, o MergeOptions, others ...*DB) (Applied, error) {
	for _, other := range others {
		if other == db {
			return Applied{}, db.fail(fmt.Errorf("merging a database with itself: %w", ErrOverlap))
		}
		if err := db.asks(other.analyzer, other.Tags()); err != nil {
			return Applied{}, db.fail(err)
		}
	}
	m := merging{ctx: ctx, db: db, o: o, apart: db.Ledger() == count.LedgerFull && !o.Twice}
	err := db.View(func(s *Snapshot) error { m.apart = m.apart && s.Documents() == 0; return nil })
	for i := 0; err == nil && i < len(others); i++ {
		err = others[i].View(m.add)
	}
	if err != nil {
		return m.applied, err
	}
	return m.applied, m.flush()
}

// merging gathers the counts of databases, and adds them to db in batches.
type merging struct {
	ctx context.Context
	db  *DB
	o   MergeOptions

	delta   Delta
	applied Applied
	apart   bool        // all ids have come in ascending order, in databases of many: no document comes twice
	last    count.DocID // of those
}

func (m *merging) add(s *Snapshot) error {
	whole, err := m.readLedger(s)
	if err != nil {
		return err
	}
	if whole && !m.apart {
		return s.db.fail(s.learned(nil, func(rec *stored.Record) error {
			m.delta.add(documentStep(stepAdd, s.className(rec.Class), rec.Doc.Clone()))
			if m.delta.bytes < addSize {
				return m.ctx.Err()
			}
			return m.flush()
		}))
	}
	d, err := s.delta(m.ctx)
	if err != nil {
		return err
	}
	if sums := m.delta.sums; len(sums) > 0 && (sums[0].Epoch != s.totals.Epoch || m.delta.Size()+d.Size() > sumsSize) {
		if err := m.flush(); err != nil {
			return err
		}
	}
	m.delta.Merge(d)
	if s.totals.Untracked() || m.o.Twice {
		m.delta.origins = append(m.delta.origins, originOf("database", s.db.header.Key[:]))
	}
	return nil
}

// flush adds what was gathered.
func (m *merging) flush() error {
	m.delta.again, m.delta.overlap = m.o.Again, overlapOnce
	if m.o.Twice {
		m.delta.overlap = overlapTwice
	}
	applied, err := m.db.apply(m.ctx, &m.delta)
	m.applied.Add(applied)
	m.delta = Delta{}
	return err
}

const (
	// addSize is the number of bytes of documents added in one transaction.
	addSize = 32 << 20

	// sumsSize is the same for bytes of counts: each pass goes through all tables, and takes
	// a few times as much memory.
	sumsSize = 64 << 20
)

// readLedger reports whether the ledger of s keeps the counts of every document. It ends m.apart where
// an id is not greater than those before it, or s is of few documents or large.
func (m *merging) readLedger(s *Snapshot) (bool, error) {
	whole := !s.totals.Untracked()
	m.apart = m.apart && s.Documents() >= uint64(m.db.tuning().manySteps) && s.totals.Epoch == 0 && s.tx.Size() < sumsSize
	err := s.ledger(func(id count.DocID, e *stored.Entry) error {
		whole = whole && e.Keep != count.LedgerDigest
		m.apart, m.last = m.apart && bytes.Compare(m.last[:], id[:]) < 0, id
		return nil
	})
	return whole, s.db.fail(err)
}

// delta returns everything that s has counted.
func (s *Snapshot) delta(ctx context.Context) (*Delta, error) {
	all, err := s.sums(ctx)
	if err != nil {
		return nil, s.db.fail(err)
	}
	d := &Delta{sums: []summed.Documents{*all}}
	err = s.ledger(func(id count.DocID, e *stored.Entry) error {
		if e.Keep == count.LedgerDigest {
			own := *e
			own.Source = bytes.Clone(e.Source)
			d.add(step{kind: stepNote, class: s.className(e.Class), id: id, entry: &own})
		}
		return ctx.Err()
	})
	if err == nil {
		err = s.learned(nil, func(rec *stored.Record) error {
			d.add(documentStep(stepNote, s.className(rec.Class), rec.Doc.Clone()))
			return ctx.Err()
		})
	}
	return d, s.db.fail(err)
}

// numbers returns a function that numbers the classes that have documents, in order of name.
func (s *Snapshot) numbers() func(class uint32) (number uint32, ok bool) {
	numbers := make([]uint32, len(s.totals.Classes))
	for i, n := 0, uint32(0); i < len(numbers); i++ {
		if numbers[i] = n; s.totals.Classes[i].Docs > 0 {
			n++
		}
	}
	return func(class uint32) (uint32, bool) {
		at := s.totals.At(count.ClassID(class))
		if at < 0 || s.totals.Classes[at].Docs == 0 {
			return 0, false
		}
		return numbers[at], true
	}
}

// sums returns the counts of all documents, with their classes numbered, and checks them for
// silent damage.
func (s *Snapshot) sums(ctx context.Context) (*summed.Documents, error) {
	all, number := &summed.Documents{Epoch: s.totals.Epoch}, s.numbers()
	for _, c := range s.Classes() {
		if c.Docs > 0 { // one without documents is no count
			all.Classes = append(all.Classes, *c)
		}
	}
	check, row := checker{s: s}, []table.Cell(nil)
	err := check.rows(func(term []byte, _ []count.Cell) error {
		row = append(row[:0], s.row.Cells...)
		for i := range row {
			row[i].Class, _ = number(row[i].Class) // 0 for one without documents, which check reports
		}
		slices.SortFunc(row, func(a, b table.Cell) int { return cmp.Compare(a.Class, b.Class) })
		all.AddRow(term, s.row.Epoch, row)
		return ctx.Err()
	})
	if err == nil {
		err = check.attributes(func(a *attributes.Attribute) { all.Attributes = append(all.Attributes, *a) })
	}
	return all, cmp.Or(err, check.first)
}
