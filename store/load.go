package store

import (
	"cmp"
	"context"
	"io"

	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/summed"
)

// LoadError is returned where a line of a dump is wrong.
type LoadError = dump.LineError

// Load adds what a dump holds to the database, all of it or, with an error, nothing. Its
// documents count as learned without a ledger, except those that the dump lists. The error
// is a *LoadError where a line is wrong, an *AnalyzerError if the dump was made with
// another analyzer, and wraps ErrTags if one has tags and the other classes, ErrOverlap if
// the ledger has one of its documents already, and ErrLoaded if a dump of the same counts
// was loaded before, or the dump was made of this database, and some of the documents are
// in no ledger.
func (db *DB) Load(ctx context.Context, r io.Reader) (Applied, error) {
	return db.loadDump(ctx, r, false)
}

// LoadAgain is Load for a dump that may have been loaded before: documents that it does
// not list count once more.
func (db *DB) LoadAgain(ctx context.Context, r io.Reader) (Applied, error) {
	return db.loadDump(ctx, r, true)
}

func (db *DB) loadDump(ctx context.Context, r io.Reader, again bool) (Applied, error) {
	read, err := dump.Read(ctx, r, db.asks)
	if err != nil {
		return Applied{}, db.fail(err)
	}
	d := &Delta{sums: []summed.Documents{read.Counts}}
	for _, doc := range read.Ledger {
		s := step{kind: stepNote, class: doc.Class, id: doc.ID, doc: doc.Doc, entry: doc.Digest}
		if doc.Digest != nil {
			s.kind = stepDigest
		}
		d.steps = append(d.steps, s)
	}
	if err := d.checkNotes(); err != nil {
		return Applied{}, db.fail(&LoadError{Line: read.Lines, Err: err})
	}
	docs := 0
	for _, c := range read.Counts.Classes {
		docs += int(c.Docs)
	}
	d.origins, d.again, d.listed = []layout.Origin{originOf("dump", read.Hash)}, again, docs == len(d.steps)
	if own, err := db.isOrigin(ctx, d); err != nil || own {
		return Applied{}, db.fail(cmp.Or(err, ErrLoaded))
	}
	return db.apply(ctx, d, 0)
}

// asks returns an error unless counts from elsewhere can be added to the counts of db.
func (db *DB) asks(analyzer string, tags bool) error {
	if tags != db.Tags() {
		return ErrTags
	}
	if analyzer != db.analyzer {
		return &AnalyzerError{Have: db.analyzer, Want: analyzer}
	}
	return nil
}
