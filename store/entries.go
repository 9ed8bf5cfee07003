package store

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Entry describes a document in the ledger.
type Entry struct {
	ID     count.DocID
	Class  string
	Time   time.Time    // when it was learned
	Source string       // who taught it
	Keep   count.Ledger // count.LedgerFull: Document gives its counts
}

// Entry returns the ledger's entry of a document, or nil if it was never
// learned, or learned without a ledger.
func (s *Snapshot) Entry(id count.DocID) (*Entry, error) {
	rec, e, err := s.lookUp(id)
	if err != nil {
		return nil, s.db.fail(err)
	}
	return s.entry(id, rec, e), nil
}

// Document returns a document with its counts, or nil if it was never learned. Where the
// ledger does not keep its counts, the error is ErrNoCounts.
func (s *Snapshot) Document(id count.DocID) (*count.Document, error) {
	rec, e, err := s.lookUp(id)
	if err != nil {
		return nil, s.db.fail(err)
	}
	if rec == nil {
		if e != nil {
			return nil, s.db.fail(fmt.Errorf("document %s: %w", id, ErrNoCounts))
		}
		return nil, nil
	}
	doc := rec.Doc.Decode(s.className(rec.Class))
	return &doc, nil
}

// lookUp returns the log record of a document, or its digest entry, or neither.
func (s *Snapshot) lookUp(id count.DocID) (*stored.Record, *stored.Entry, error) {
	switch rec, err := s.recent.LastOf(s.tx, id, s.seq); {
	case err != nil || rec != nil && rec.Op == stored.OpUntrain:
		return nil, nil, err
	case rec != nil && rec.Keep == count.LedgerDigest:
		e := rec.Entry()
		return nil, &e, nil
	case rec != nil:
		return rec, nil, nil
	}
	if err := s.checkKey(stored.BucketLedger, id[:]); err != nil {
		return nil, nil, err
	}
	e, err := s.tx.Entry(id)
	if err != nil || e == nil || e.Keep != count.LedgerFull {
		return nil, e, err
	}
	if err := s.checkKey(stored.BucketLog, stored.SeqKey(e.Seq)); err != nil {
		return nil, nil, err
	}
	rec, err := s.tx.Record(e.Seq)
	return &rec, nil, err
}

// checkKey checks the pages of a key that were not checked on opening.
func (s *Snapshot) checkKey(bucket, key []byte) error {
	if !s.db.options.ReadOnly {
		return nil
	}
	return s.file.CheckKeys(s.tx.Tx, bucket, key, key)
}

func (s *Snapshot) className(id count.ClassID) string {
	if at := s.totals.At(id); at >= 0 {
		return s.totals.Classes[at].Name
	}
	return ""
}

// entry returns the entry of a document with a log record or a digest, nil for neither.
func (s *Snapshot) entry(id count.DocID, rec *stored.Record, e *stored.Entry) *Entry {
	switch {
	case rec != nil:
		return &Entry{id, s.className(rec.Class), encoded.Time(rec.Doc.Time), string(rec.Doc.Source), rec.Keep}
	case e != nil:
		return &Entry{id, s.className(e.Class), encoded.Time(e.Time), string(e.Source), e.Keep}
	}
	return nil
}

// Learned calls f for every document whose counts the ledger keeps, in the order in which they
// were learned, and whose id want accepts; the others are not read. A nil want accepts all. The
// document is valid only during the call.
func (s *Snapshot) Learned(want func(count.DocID) bool, f func(*count.Document) error) error {
	var decoder encoded.Decoder
	return s.db.fail(s.learned(want, func(rec *stored.Record) error {
		doc := decoder.Decode(&rec.Doc, s.className(rec.Class))
		return f(&doc)
	}))
}

// learned is Learned for log records, which are valid only during the call.
func (s *Snapshot) learned(want func(count.DocID) bool, f func(*stored.Record) error) error {
	var seqs []uint64
	err := s.ledger(func(id count.DocID, e *stored.Entry) error {
		if e.Keep != count.LedgerDigest && (want == nil || want(id)) {
			seqs = append(seqs, e.Seq)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(seqs) // neighbours in the file are read together
	for i, seq := range seqs {
		rec, err := s.recordOf(seq, i)
		if err == nil {
			err = f(&rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Entries calls f for every document that the ledger knows, in order of id.
func (s *Snapshot) Entries(f func(*Entry) error) error {
	return s.db.fail(s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		return f(s.entry(id, rec, e))
	}))
}

// entries calls f for every document of the ledger in order of id, with its log
// record or its digest entry. They are valid only during the call.
func (s *Snapshot) entries(f func(id count.DocID, rec *stored.Record, e *stored.Entry) error) error {
	read := 0
	return s.ledger(func(id count.DocID, e *stored.Entry) error {
		if e.Keep == count.LedgerDigest {
			return f(id, nil, e)
		}
		read++
		rec, err := s.recordOf(e.Seq, read)
		if err != nil {
			return err
		}
		return f(id, &rec, nil)
	})
}

// readAtOnce is how many records of a walk through the log stay in memory: the kernel maps 64 KB
// around each, until all of a large file seems to be this process's memory.
const readAtOnce = 256

// recordOf returns the record at a position, when a walk has read so many before.
func (s *Snapshot) recordOf(seq uint64, read int) (stored.Record, error) {
	if read%readAtOnce == readAtOnce-1 {
		file.Forget(s.tx.Tx)
	}
	return s.tx.Record(seq)
}

// ledger calls f for every entry of the ledger in order of id. It is valid only during the call.
func (s *Snapshot) ledger(f func(id count.DocID, e *stored.Entry) error) error {
	if s.db.options.ReadOnly { // or trainings check what they write
		if err := s.file.CheckHeads(); err != nil {
			return err
		}
	}
	base, err := s.tx.Corpus()
	if err != nil {
		return err
	}
	tail := make(map[count.DocID]layout.Recent) // the changes by the tail of the log
	err = s.tx.EachRecord(base.Merged, func(rec *stored.Record) error {
		if rec.Keep != count.LedgerNone {
			tail[rec.Doc.ID] = layout.RecentOf(rec)
		}
		return nil
	})
	if err != nil {
		return err
	}
	ids := slices.DeleteFunc(layout.InOrder(tail), func(id count.DocID) bool { return tail[id].Gone }) // still learned
	recent := func(id count.DocID) error {
		e := tail[id].Entry
		return f(id, &e)
	}
	err = s.tx.EachEntry(func(id count.DocID, e *stored.Entry) error {
		for len(ids) > 0 && bytes.Compare(ids[0][:], id[:]) <= 0 {
			if err := recent(ids[0]); err != nil {
				return err
			}
			ids = ids[1:]
		}
		if _, changed := tail[id]; changed {
			return nil
		}
		return f(id, e)
	})
	for _, id := range ids {
		if err == nil {
			err = recent(id)
		}
	}
	return err
}
