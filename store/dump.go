package store

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Dump writes the counts as text: classes by name, terms and attributes in byte order, so that
// equal counts give equal bytes whatever the order, grouping, ids and times of
// training. With ledger, the documents that the ledger knows follow, in order
// of id. See FORMAT.md, "Dump".
//
// The file is checked for silent damage, its pages before and its counts during the dump:
// with a *CorruptError, the written text has no end line, and Load refuses it.
func (db *DB) Dump(ctx context.Context, w io.Writer, ledger bool) error {
	// A dump must be of a whole database.
	if err := db.locked(func(f *file.File) error { return cmp.Or(f.Check(), f.CheckMetas()) }); err != nil {
		return err
	}
	return db.View(func(s *Snapshot) error {
		d := s.dumper(w)
		if ledger {
			if err := d.epochs(); err != nil {
				return err
			}
		}
		if err := d.counts(ctx); err != nil {
			return err
		}
		if ledger {
			if err := d.documents(ctx); err != nil {
				return err
			}
		}
		return d.w.End()
	})
}

// dumper writes a snapshot, and checks it for silent damage meanwhile.
type dumper struct {
	s          *Snapshot
	w          *dump.Writer
	index      []int // by place in s.Classes: number in the dump, -1 for none
	withEpochs bool  // write the epochs of rows and documents
	check      *checker
	bad        error // the first problem found
}

func (s *Snapshot) dumper(w io.Writer) *dumper {
	d := &dumper{s: s, w: dump.NewWriter(w)}
	d.check = &checker{s: s, problem: func(err error) { d.bad = cmp.Or(d.bad, err) }}
	return d
}

// counts writes all but the ledger.
func (d *dumper) counts(ctx context.Context) error {
	var epoch *uint64
	if d.withEpochs {
		epoch = &d.s.totals.Epoch
	}
	d.w.Head(d.s.db.analyzer, d.s.db.Tags(), d.s.Vocabulary(), epoch)
	n := 0
	for _, c := range d.s.Classes() {
		if c.Docs == 0 { // one without documents is no count
			d.index = append(d.index, -1)
			continue
		}
		d.index = append(d.index, n)
		n++
		d.w.Class(c)
	}
	if err := d.terms(ctx); err != nil {
		return err
	}
	return d.s.db.fail(d.attributes())
}

// epoch returns the epoch that the dump gives to rows and documents of epoch n.
func (d *dumper) epoch(n uint64) uint64 {
	if d.withEpochs {
		return n
	}
	return 0
}

// epochs decides whether the dump must say when rows were made: it must if documents kept
// as a digest were learned before terms were dropped.
func (d *dumper) epochs() error {
	err := d.s.ledger(func(_ count.DocID, e *stored.Entry) error {
		d.withEpochs = d.withEpochs || e.Keep == count.LedgerDigest && e.Epoch != d.s.totals.Epoch
		return nil
	})
	return d.s.db.fail(err)
}

func (d *dumper) attributes() error {
	if err := cmp.Or(d.check.attributeRows(), d.bad); err != nil {
		return err
	}
	list, err := d.s.sumAttributes()
	for i := range list {
		err = cmp.Or(err, d.w.Attribute(&list[i]))
	}
	return err
}

func (d *dumper) terms(ctx context.Context) error {
	all := newRowSums(len(d.s.Classes()))
	err := d.s.Scan(true, func(term []byte, cells []count.Cell) error {
		all.add(term, cells)
		slices.SortFunc(cells, func(a, b count.Cell) int { return cmp.Compare(a.Class, b.Class) })
		d.w.Term(term, d.epoch(d.s.row.Epoch), cells, d.index)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if d.check.sums(all); d.bad != nil {
		return d.s.db.fail(d.bad)
	}
	d.w.EndTerms()
	return nil
}

// documents writes the documents of the ledger, in order of id.
func (d *dumper) documents(ctx context.Context) error {
	known := make(map[count.ClassID]uint64)
	err := d.s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.check.entry(known, id, rec, e); d.bad != nil {
			return d.bad
		}
		if rec == nil {
			d.w.Digest(d.index[d.s.totals.At(e.Class)], id, e, d.epoch(e.Epoch))
		} else {
			d.w.Document(d.index[d.s.totals.At(rec.Class)], &rec.Doc)
		}
		return nil
	})
	d.check.known(known)
	return d.s.db.fail(cmp.Or(err, d.bad))
}
