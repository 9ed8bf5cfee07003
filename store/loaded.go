package store

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/polya-classifier/polya/store/internal/layout"
)

// This file keeps which dumps and databases were added whose documents the ledger does
// not know: added once more, they would count twice, and nobody would see it.

// maxOrigins is how many are kept, the last ones: a database is put together of few.
const maxOrigins = 256

func originOf(what string, data []byte) (o layout.Origin) {
	sum := sha256.Sum256(append([]byte(what+"\n"), data...))
	copy(o[:], sum[:])
	return o
}

// addOrigin notes where d came from. It returns ErrLoaded if that was added before, and
// there still are documents that no ledger knows, unless d is to be added again.
func (b *bulk) addOrigin(d *Delta) error {
	if d.origin == (layout.Origin{}) {
		return nil
	}
	list, err := b.tx.Loaded()
	if err != nil {
		return err
	}
	if slices.Contains(list, d.origin) {
		if b.totals.Loose() && !d.again {
			return ErrLoaded
		}
		return nil
	}
	if d.listed {
		return nil // the ledger knows them from now on
	}
	list = append(list, d.origin)
	return b.tx.PutLoaded(list[max(0, len(list)-maxOrigins):])
}

// isOrigin reports whether d, a dump, is of the counts that the database has now, so that
// documents would count twice of which no ledger knows.
func (db *DB) isOrigin(ctx context.Context, d *Delta) (is bool, err error) {
	if d.again || db.options.ReadOnly {
		return false, nil
	}
	err = db.View(func(s *Snapshot) error {
		if !s.mayHold(d) {
			return nil
		}
		counts := sha256.New()
		dump := s.dumper(counts)
		if err := dump.counts(ctx); err != nil {
			return err
		}
		err := dump.w.Flush()
		is = originOf("dump", counts.Sum(nil)) == d.origin
		return err
	})
	return is, err
}

// mayHold reports whether all classes have as many documents as in the dump d, and some of
// them are in one ledger alone or in none.
func (s *Snapshot) mayHold(d *Delta) bool {
	docs, loose := map[string]uint64{}, !d.listed || s.totals.Loose()
	for _, c := range s.Classes() {
		if c.Docs > 0 {
			docs[c.Name] = c.Docs
		}
	}
	for _, c := range d.sums[0].Classes {
		if docs[c.Name] != c.Docs {
			return false
		}
	}
	return loose && len(docs) > 0 && len(docs) == len(d.sums[0].Classes)
}
