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
	switch {
	case err != nil:
		return nil, s.db.fail(err)
	case rec != nil:
		return s.recordEntry(rec), nil
	case e != nil:
		return s.digestEntry(id, e), nil
	}
	return nil, nil
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
	switch rec, err := s.tx.LastOf(id); {
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

// checkHeads checks the headers of a file that nobody writes, before the whole log is read.
func (s *Snapshot) checkHeads() error {
	if !s.db.options.ReadOnly {
		return nil
	}
	return s.file.CheckHeads()
}

// tableSeq returns the position up to which every table holds the log.
func (s *Snapshot) tableSeq() (uint64, error) {
	base, err := s.tx.Corpus()
	return base.Merged, err
}

func (s *Snapshot) className(id count.ClassID) string {
	if at := s.totals.At(id); at >= 0 {
		return s.totals.Classes[at].Name
	}
	return ""
}

func (s *Snapshot) recordEntry(rec *stored.Record) *Entry {
	return &Entry{rec.Doc.ID, s.className(rec.Class), encoded.Time(rec.Doc.Time), string(rec.Doc.Source), rec.Keep}
}

func (s *Snapshot) digestEntry(id count.DocID, e *stored.Entry) *Entry {
	return &Entry{id, s.className(e.Class), encoded.Time(e.Time), string(e.Source), e.Keep}
}

// Learned calls f for every document whose counts the ledger keeps, in order of id, and
// whose id want accepts; the others are not read. A nil want accepts all. The document is
// valid only during the call.
func (s *Snapshot) Learned(want func(count.DocID) bool, f func(*count.Document) error) error {
	var decoder encoded.Decoder
	return s.db.fail(s.entriesIf(want, func(_ count.DocID, rec *stored.Record, _ *stored.Entry) error {
		if rec == nil {
			return nil
		}
		doc := decoder.Decode(&rec.Doc, s.className(rec.Class))
		return f(&doc)
	}))
}

// Entries calls f for every document that the ledger knows, in order of id.
func (s *Snapshot) Entries(f func(*Entry) error) error {
	return s.db.fail(s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		if rec != nil {
			return f(s.recordEntry(rec))
		}
		return f(s.digestEntry(id, e))
	}))
}

// entries calls f for every document of the ledger in order of id, with its log
// record or its digest entry. They are valid only during the call.
func (s *Snapshot) entries(f func(id count.DocID, rec *stored.Record, e *stored.Entry) error) error {
	return s.entriesIf(nil, f)
}

// readAtOnce is how many records of a walk through the ledger stay in memory: the kernel maps 64 KB
// around each, until all of a large file seems to be this process's memory.
const readAtOnce = 256

// entriesIf is entries without the fully kept documents that want, if not nil, rejects.
func (s *Snapshot) entriesIf(want func(count.DocID) bool, f func(id count.DocID, rec *stored.Record, e *stored.Entry) error) error {
	if err := s.checkHeads(); err != nil {
		return err
	}
	tail, err := s.tailEntries()
	if err != nil {
		return err
	}
	ids := slices.DeleteFunc(layout.InOrder(tail), func(id count.DocID) bool { return tail[id].gone }) // still learned
	read := 0
	one := func(id count.DocID, e *stored.Entry) error {
		if e.Keep == count.LedgerDigest {
			return f(id, nil, e)
		}
		if want != nil && !want(id) {
			return nil
		}
		if read++; read%readAtOnce == 0 {
			file.Forget(s.tx.Tx)
		}
		rec, err := s.tx.Record(e.Seq)
		if err != nil {
			return err
		}
		return f(id, &rec, nil)
	}
	recent := func(id count.DocID) error {
		e := tail[id].entry
		return one(id, &e)
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
		return one(id, e)
	})
	for _, id := range ids {
		if err == nil {
			err = recent(id)
		}
	}
	return err
}

// tailEntries returns the changes of the ledger in the tail of the log.
func (s *Snapshot) tailEntries() (map[count.DocID]recent, error) {
	merged, err := s.tableSeq()
	if err != nil {
		return nil, err
	}
	tail := make(map[count.DocID]recent)
	err = s.tx.EachRecord(merged, func(rec *stored.Record) error {
		if rec.Keep != count.LedgerNone {
			tail[rec.Doc.ID] = recentOf(rec)
		}
		return nil
	})
	return tail, err
}
