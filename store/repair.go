package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/salvage"
)

// Repaired describes what a repair has done.
type Repaired struct {
	// Damaged is the path where the damaged file has been put, empty if there was
	// nothing to repair.
	Damaged string

	salvage.Report // what was rebuilt and what was lost

	Documents uint64 // in the database now
}

// ErrNotRepaired is returned when too little of a database is left to make one
// that can be trusted. The file is as it was.
var ErrNotRepaired = salvage.ErrNotRepaired

// Repair makes a sound database from the rest of a damaged one and puts it in its place;
// the damaged file stays beside it, with .damaged at the end of its name. Nobody else may
// have the database open. One in which Check finds nothing is left alone. Of o it uses
// Timeout, as for writing, and Analyzer: the spec to write if the file has lost its own.
// The error wraps ErrNotRepaired, ErrInUse, ErrNotExist, ErrReadOnly or an *AnalyzerError
// where one of them says what is wrong.
//
// Repair trusts only values whose checksum over key and value is correct, on pages that
// the newest sound state of the file reaches. It trusts an unreachable page if the list of
// free pages is sound and does not have it: a free page may be of an older state, and
// would bring back what was forgotten since.
//
// All is rebuilt from the documents whose counts the ledger keeps and whose records are left;
// the other documents are lost. A lost record that was not yet in the tables may have
// forgotten a document: that document is back then, and Lost says so. A file without such
// a document is refused.
//
// A process that is killed meanwhile leaves the old file in place, and perhaps a
// file named like it with .repair- at its end, which the next repair or compaction
// removes.
func Repair(ctx context.Context, path string, o Options) (out Repaired, err error) {
	defer fault.Guard(&err, path)()
	o = Options{Analyzer: o.Analyzer, Timeout: o.Timeout, tuning: o.tuning}
	o.Timeout = o.timeout()
	if sound, err := isSound(ctx, path, o.Timeout); err != nil || sound {
		return out, err
	}
	r := repair{ctx: ctx, options: o, path: path}
	if err := r.run(); err != nil {
		return Repaired{}, fmt.Errorf("%s: %w", path, err)
	}
	return r.out, nil
}

// isSound returns whether Check finds nothing, or an error if the file cannot be checked
// for a reason other than damage.
func isSound(ctx context.Context, path string, timeout time.Duration) (bool, error) {
	db, err := Open(path, Options{ReadOnly: true, Timeout: timeout})
	switch {
	case errors.As(err, new(*CorruptError)), errors.Is(err, ErrNotPolya) && !errors.Is(err, ErrEmpty):
		return false, nil // its first pages may be lost
	case err != nil:
		return false, err
	}
	defer db.Close()
	report, err := db.Check(ctx, func(error) {})
	return report.Problems == 0, err
}

type repair struct {
	ctx     context.Context
	options Options
	path    string
	out     Repaired
}

func (r *repair) run() error {
	old, err := file.Hold(r.path, r.options.Timeout)
	if err != nil {
		return err
	}
	defer old.Close()
	left, err := salvage.Read(old.File, r.options.Analyzer, &r.out.Report)
	if err != nil {
		return err
	}
	if want := r.options.Analyzer; want != "" && want != *left.Analyzer {
		return &AnalyzerError{Have: *left.Analyzer, Want: want}
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.out.Damaged, err = file.Write(r.path, old, ".damaged", func(n *newfile.File) error { return r.build(n, left) })
	return err
}

func (r *repair) build(n *newfile.File, left *salvage.Remains) error {
	alive, err := left.Learned(&r.out.Report)
	if err != nil {
		return err
	}
	options := Options{Analyzer: *left.Analyzer, Ledger: left.Ledger(), Tags: left.Tags(), tuning: r.options.tuning}
	db := &DB{path: n.Path(), place: n.Path(), options: options, making: true}
	if db.file, err = file.OpenNew(n, db.fileOptions()); err != nil {
		return err
	}
	defer db.Close()
	if err := r.learnAll(db, left, alive); err != nil {
		return err
	}
	report, err := db.Check(r.ctx, nil)
	if damaged, is := errors.AsType[*CorruptError](err); is {
		return fmt.Errorf("what is left does not fit together, %v: %w", damaged, ErrNotRepaired)
	} else if err != nil {
		return err
	}
	r.out.Documents = report.Documents
	unnamed := db.update(func(tx layout.Tx) (*memory, error) { return nil, tx.SetUnnamed(true) })
	return fault.Plain(cmp.Or(unnamed, db.Close()))
}

func (r *repair) learnAll(db *DB, l *salvage.Remains, alive []salvage.FoundRecord) error {
	err := db.rewrite(r.ctx, func(b *bulk) error {
		for id, name := range l.Names {
			b.totals.Insert(&count.Class{ID: id, Name: name})
		}
		if c := l.Corpus; c != nil {
			b.totals.Epoch, b.Fold.Epoch = c.Epoch, c.Epoch
		}
		return l.Settings(b.tx, &r.out.Report)
	})
	for err == nil && len(alive) > 0 {
		var left []salvage.FoundRecord // not alive: a transaction may be run twice
		err = db.rewrite(r.ctx, func(b *bulk) (err error) { left, err = relearn(b, l, alive); return err })
		alive = left
	}
	return err
}

// relearn learns as many documents as one transaction should, and returns the others.
func relearn(b *bulk, l *salvage.Remains, list []salvage.FoundRecord) ([]salvage.FoundRecord, error) {
	for size := 0; len(list) > 0 && size < addSize; list = list[1:] {
		rec, err := l.Record(&list[0])
		if err == nil {
			err = b.ctx.Err()
		}
		if err != nil {
			return list, err
		}
		doc := rec.Doc.Clone()
		size += len(doc.Raw)
		if err := b.train(b.totals.ByID(rec.Class), doc, count.LedgerFull); err != nil {
			return list, err
		}
	}
	return list, nil
}
