package store

import (
	"cmp"
	"context"
	"io"

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
	return db.View(func(s *Snapshot) error { return s.db.fail(s.dump(ctx, w, ledger)) })
}

func (s *Snapshot) dump(ctx context.Context, w io.Writer, ledger bool) error {
	epochs := false // a digest of before terms were dropped needs them
	if ledger {
		err := s.ledger(func(_ count.DocID, e *stored.Entry) error {
			epochs = epochs || e.Keep == count.LedgerDigest && e.Epoch != s.totals.Epoch
			return nil
		})
		if err != nil {
			return err
		}
	}
	all, err := s.sums(ctx)
	if err != nil {
		return err
	}
	d := dump.NewWriter(untilDone{ctx, w}, epochs)
	if err := d.Counts(s.db.analyzer, s.db.Tags(), s.Vocabulary(), all); err != nil {
		return err
	}
	if ledger {
		if err := s.dumpLedger(ctx, d); err != nil {
			return err
		}
	}
	return d.End()
}

// dumpLedger writes the documents of the ledger, in order of id.
func (s *Snapshot) dumpLedger(ctx context.Context, d *dump.Writer) error {
	check, number, known := checker{s: s}, s.numbers(), make(map[count.ClassID]uint64)
	err := s.entries(func(id count.DocID, e *stored.Entry, rec *stored.Record) error {
		if check.entry(known, id, e, rec); check.first != nil {
			return check.first
		}
		if class, _ := number(uint32(e.Class)); rec == nil {
			d.Digest(class, id, e)
		} else {
			d.Document(class, &rec.Doc)
		}
		return ctx.Err()
	})
	check.known(known)
	return cmp.Or(err, check.first)
}
