package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/dump"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
)

// Load adds what a dump holds to the database, all of it or, with an error, nothing. Its
// documents count as learned without a ledger, except those that the dump lists. The error
// names a line that is wrong, is an *AnalyzerError, or wraps ErrOverlap if the ledger has one
// of its documents already. It wraps ErrLoaded if some of the documents are in no ledger and a
// dump of the same counts was loaded before, or the dump was made of this database: with again
// they count once more.
func (db *DB) Load(ctx context.Context, again bool, r io.Reader) (Applied, error) {
	read, err := dump.Read(ctx, r, db.asks)
	if err != nil {
		return Applied{}, db.fail(err)
	}
	d := &Delta{sums: []summed.Documents{read.Counts}}
	for _, doc := range read.Ledger {
		d.add(step{kind: stepNote, class: doc.Class, id: doc.ID, doc: doc.Doc, entry: doc.Digest})
	}
	if len(d.steps) > 0 {
		err = d.checkNotes()
	}
	if err != nil {
		return Applied{}, db.fail(&dump.LineError{Line: read.Lines, Err: err})
	}
	docs := 0
	for _, c := range read.Counts.Classes {
		docs += int(c.Docs)
	}
	d.origins, d.again, d.listed = []layout.Origin{originOf("dump", read.Hash)}, again, docs == len(d.steps)
	return db.apply(ctx, d)
}

// asks returns an error unless counts from elsewhere can be added to the counts of db.
func (db *DB) asks(analyzer string, tags bool) error {
	if tags != db.Tags() {
		return errTags
	}
	if analyzer != db.analyzer {
		return &AnalyzerError{Have: db.analyzer, Want: analyzer}
	}
	return nil
}

// maxOrigins is how many origins are kept, the latest. The dumps and databases that counts
// came from are stored so that documents that the ledger does not know are not counted twice.
const maxOrigins = 256

func originOf(what string, data []byte) (o layout.Origin) {
	sum := sha256.Sum256(append([]byte(what+"\n"), data...))
	copy(o[:], sum[:])
	return o
}

// addOrigins records the origins of d. It returns ErrLoaded if one was added before, or d is a
// dump of the database itself, and documents that no ledger knows would count twice, unless d
// is to be added again.
func (b *bulk) addOrigins(d *Delta) error {
	if len(d.origins) == 0 {
		return nil
	}
	list, err := b.tx.Loaded()
	if err != nil {
		return err
	}
	if d.overlap == overlapRefuse && !d.again && b.holds(d) {
		return ErrLoaded
	}
	before := len(list)
	for _, o := range d.origins {
		switch {
		case !slices.Contains(list, o):
			list = append(list, o)
		case (b.totals.Untracked() || d.overlap == overlapTwice) && !d.again:
			return ErrLoaded
		}
	}
	if d.listed || len(list) == before {
		return nil // the ledger knows them from now on
	}
	return b.tx.PutLoaded(list[max(0, len(list)-maxOrigins):])
}

// holds reports whether all classes have the counts of the dump d, and documents that no
// ledger knows would count twice.
func (b *bulk) holds(d *Delta) bool {
	if d.listed && !b.totals.Untracked() {
		return false
	}
	left := count.WithDocuments(b.totals.Classes)
	for _, c := range d.sums[0].Classes {
		own := b.totals.Named(c.Name)
		if own == nil || own.Docs != c.Docs || own.Tokens != c.Tokens || own.Weight != c.Weight {
			return false
		}
		left--
	}
	return left == 0 && len(d.sums[0].Classes) > 0
}

// noteKnown removes one of the two counts of a document that the ledger knows already, in the
// sums for c and as learned, as if that in the sums had been learned second: the first stays
// if both are of one class, otherwise the second. done is false if the second must still be
// entered in the ledger.
func (b *bulk) noteKnown(s *step, c *count.Class, known *stored.Entry, rule overlap) (done bool, err error) {
	if rule == overlapRefuse {
		return true, fmt.Errorf("document %s: %w", s.id, ErrOverlap)
	}
	first, second, err := b.bothOf(s, known)
	if err != nil {
		return true, err
	}
	b.applied.Learned--
	b.trusted = true // where the sums do not have what their ledger says, that is no damage here
	switch moved := c.ID != known.Class; {
	case moved && first != nil:
		b.applied.Moved++
		return false, b.untrain(known, first)
	case second != nil:
		if b.applied.Already++; moved {
			b.applied.Already--
			b.applied.Conflicts = append(b.applied.Conflicts, s.id)
		}
		c.Untracked--
		if err := b.count(c, second, -1); err != nil {
			return true, fmt.Errorf("document %s: %w", s.id, err)
		}
	case rule == overlapTwice:
		b.applied.Twice++
	default:
		b.overlaps = append(b.overlaps, s.id)
	}
	return true, nil
}

// bothOf returns the counts of a document in the ledger and in the sums, nil where nobody
// knows them: where one ledger has a digest, the other may have the counts, if no terms were
// dropped since.
func (b *bulk) bothOf(s *step, known *stored.Entry) (first, second *encoded.Document, err error) {
	if known.Keep == count.LedgerFull {
		if first, err = b.db.logged(b.tx, known); err != nil {
			return nil, nil, err
		}
	}
	if s.entry == nil {
		if second = s.doc; first == nil && second.Digest() == known.Digest && known.Epoch == b.totals.Epoch {
			first = second
		}
		return first, second, nil
	}
	if e := s.entry; first != nil && first.Digest() == e.Digest && e.Epoch == b.sums.from && e.Epoch != stored.LostEpoch {
		second = first
	}
	return first, second, nil
}

// sumEpoch translates epochs of a Delta with sums, which are epochs of the database it
// was made from, into epochs of this one.
type sumEpoch struct {
	from uint64 // the epoch of all sums, or stored.LostEpoch
	own  bool   // they become this database's, which is empty
}

// sumEpoch takes over the epochs of d if this database is empty, so that they cannot be
// confused with its own: a dump is loaded as it was.
func (b *bulk) sumEpoch(d *Delta) sumEpoch {
	var s sumEpoch
	for i := range d.sums {
		if e := d.sums[i].Epoch; i == 0 {
			s.from = e
		} else if s.from != e {
			s.from = stored.LostEpoch
		}
	}
	s.own = len(d.sums) == 1 && b.totals.Documents() == 0 && !slices.ContainsFunc(d.steps, func(s step) bool { return s.kind != stepNote })
	if s.own {
		b.totals.Epoch, b.Fold.Epoch = s.from, s.from
	}
	return s
}

// here returns the epoch of a document in this database, whose epoch is now. For a
// document learned before terms were dropped, rows here may have been made at any time.
func (s sumEpoch) here(epoch, now uint64) uint64 {
	switch {
	case s.own && epoch <= now, epoch == stored.LostEpoch:
		return epoch
	case epoch == s.from:
		return now
	}
	return stored.LostEpoch
}

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
	d := dump.NewWriter(&untilDone{Writer: w, ctx: ctx}, epochs)
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
