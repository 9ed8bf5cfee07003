package store

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/damage"
)

// logFill fills the pages of the log, whose records are only ever added at the
// end; bbolt would leave half of each free for others in between.
const logFill = 0.95

// LastSeq returns the position of the last record of the log.
func (tx Tx) LastSeq() uint64 { return tx.Bucket(bucketLog).Sequence() }

// SetLastSeq sets the position of the last record of the log.
func (tx Tx) SetLastSeq(seq uint64) error { return tx.Bucket(bucketLog).SetSequence(seq) }

// Record returns a record of the log, in place.
func (tx Tx) Record(seq uint64) (record, error) {
	key := seqKey(seq)
	v := tx.Bucket(bucketLog).Get(key)
	if v == nil {
		return record{}, &damage.Error{What: fmt.Sprintf("log record %d", seq), Err: errors.New("it is missing")}
	}
	return decodeRecord(key, v)
}

// PutRecord writes a record of the log.
func (tx Tx) PutRecord(rec *record) error {
	log := tx.Bucket(bucketLog)
	log.FillPercent = logFill
	return log.Put(seqKey(rec.seq), rec.encode())
}

// DeleteRecord deletes a record of the log.
func (tx Tx) DeleteRecord(seq uint64) error { return tx.Bucket(bucketLog).Delete(seqKey(seq)) }

// EachRecord calls f with each record above seq, in order. The record is valid only
// during the call. The records are the tail of the log, of which none is missing: a page
// that lost the last of them would else have lost them silently.
func (tx Tx) EachRecord(seq uint64, f func(*record) error) error {
	base, err := tx.Corpus()
	if err != nil {
		return err
	}
	c := tx.Bucket(bucketLog).Cursor()
	for k, v := c.Seek(seqKey(seq + 1)); k != nil; k, v = c.Next() {
		rec, err := decodeRecord(k, v)
		if err != nil {
			return err
		}
		rec.epoch = base.epoch
		if rec.seq != seq+1 {
			return &damage.Error{What: "list of log records", Err: fmt.Errorf("record %d follows record %d", rec.seq, seq)}
		}
		seq = rec.seq
		if err := f(&rec); err != nil {
			return err
		}
	}
	if last := tx.LastSeq(); seq != last {
		return &damage.Error{What: "list of log records", Err: fmt.Errorf("it ends at record %d, the last one was %d", seq, last)}
	}
	return nil
}

// LastOf returns the last record above seq that the ledger keeps of a document, nil if
// there is none.
func (tx Tx) LastOf(id count.DocID, seq uint64) (*record, error) {
	c := tx.Bucket(bucketLog).Cursor()
	for k, v := c.Last(); k != nil && decodeSeq(k) > seq; k, v = c.Prev() {
		rec, err := decodeRecord(k, v)
		if err != nil {
			return nil, err
		}
		if rec.doc.ID == id && rec.keep != count.LedgerNone {
			return &rec, nil
		}
	}
	return nil, nil
}
