package store

import (
	"cmp"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
)

// writer carries out the requests of one transaction, each document as one log record.
// All other changes stay in memory until the end.
type writer struct {
	learner
	whole  bool   // the overlay has all rows of the tail, not only those wanted
	oldest uint64 // no reader is before this position

	changed bool // the transaction has something to commit besides records
	touched bool // the request has changed what all requests share

	*staging

	broken error // why nothing can be committed

	committed []func() // called after the commit
}

// staging is memory that writers reuse.
type staging struct {
	lookup  layout.Lookup
	terms   rows.Terms // of a record
	before  []uint64   // document frequencies of its terms
	decoder table.Row
}

// maxStaged is how many terms memory is kept for.
const maxStaged = 1 << 14

func (db *DB) writeFew(batch []*request) error {
	if slices.ContainsFunc(batch, func(r *request) bool { return r.delta != nil }) {
		db.writes++
	}
	var w *writer
	err := errTouched
	for err == errTouched {
		if err = db.rememberLocked(db.writes > 1); err != nil {
			return err
		}
		err = db.update(func(tx layout.Tx) (_ *memory, err error) {
			w = &writer{staging: &db.staging}
			if w.learner, err = db.learner(tx, &w.lookup); err != nil {
				return nil, err
			}
			w.way, w.row = w, &w.decoder
			return nil, w.all(batch)
		})
		if err == errTouched {
			db.forgetMemory()
		}
	}
	db.staging.lookup.Forget()
	clear(db.staging.lookup.Dir.Tables)
	if cap(db.staging.terms.Steps) > maxStaged {
		db.staging = staging{}
	}
	if err == nil {
		for _, f := range w.committed {
			f()
		}
		w.mem.purge(db.file.Oldest(w.totals.Seq))
		db.growth.bulk = false
		db.shrinkOpen()
	}
	return err
}

// errTouched ends a transaction in which a request has failed after it had changed what it
// shares with others, which are carried out again without it.
var errTouched = errors.New("a request has failed halfway")

// all carries out the requests that have not failed before.
func (w *writer) all(batch []*request) error {
	if err := w.sumTail(batch); err != nil {
		return err
	}
	for _, r := range batch {
		if r.err != nil {
			continue
		}
		if w.run(r); w.broken != nil {
			return w.broken
		}
	}
	if w.records() == 0 && !w.changed {
		return errNothing
	}
	return w.finish()
}

// sumTail makes the overlay, which in a process that has trained only once is made only for the
// terms of the requests.
func (w *writer) sumTail(batch []*request) error {
	w.oldest = w.db.file.Oldest(w.base)
	if w.whole = w.Overlay != nil; w.whole {
		w.recent = w.mem.recent
		return nil
	}
	want, err := w.wanted(batch)
	if err != nil {
		return err
	}
	w.whole = want == nil
	w.Overlay, err = w.tx.SumTail(&w.Dir, &w.db.header.Key, want, nil)
	return err
}

// fewWanted is the greatest number of steps for which only the terms that they name are summed
// from the tail of the log.
const fewWanted = 4

// wanted returns shapes of the terms that the overlay must have: those that the steps name, and
// those that the ledger has for their ids. nil means all.
func (w *writer) wanted(batch []*request) (*encoded.Shapes, error) {
	var steps []step
	for _, r := range batch {
		if r.delta != nil {
			steps = append(steps, r.delta.steps...)
		}
	}
	if len(steps) > fewWanted || w.turnToMerge(uint64(len(steps))) {
		return nil, nil
	}
	want := new(encoded.Shapes)
	add := func(term []byte, _ uint8) { want.Add(term) }
	for i := range steps {
		s := &steps[i]
		if s.doc != nil {
			s.doc.Each(add)
		}
		e, err := w.entry(s.id)
		if err != nil {
			return nil, err
		}
		if e == nil || e.Keep != count.LedgerFull {
			continue
		}
		old, err := w.db.logged(w.tx, e)
		if err != nil {
			return nil, err
		}
		old.Each(add)
	}
	return want, nil
}

// run carries out r. If that fails, it has changed nothing, or the transaction is broken.
func (w *writer) run(r *request) {
	before := w.totals
	w.totals, w.touched = before.Clone(), false
	if r.err = w.steps(r); r.err == nil || w.broken != nil {
		return
	}
	w.totals, r.applied = before, Applied{}
	refused := r.position > 0 && isRefusal(r.err)
	if refused {
		r.refuse(r.err)
	}
	switch {
	case w.touched:
		w.broken = errTouched
	case refused:
		r.err = w.settings(r)
	}
}

func (w *writer) steps(r *request) error {
	if r.applied.Refused != nil { // before the transaction began anew
		return w.settings(r)
	}
	r.applied = Applied{}
	skip, err := r.skips(w.tx)
	if err != nil || skip {
		r.applied.Skipped = skip
		return err
	}
	if r.delta != nil {
		w.begin(r.delta, &r.applied)
		for i := range r.delta.steps {
			if err := w.step(&r.delta.steps[i]); err != nil {
				return err
			}
		}
		if w.broken = w.tx.PutState(&w.db.header.Key, w.notes); w.broken != nil {
			return w.broken
		}
	}
	if err = w.settings(r); r.delta != nil {
		w.broken = err
	}
	return err
}

// settings writes the changes of a request other than the counts, when it cannot fail any
// more.
func (w *writer) settings(r *request) error {
	w.changed = w.changed || r.position > 0 || r.state != nil
	if r.position > 0 {
		if err := w.tx.PutPosition(r.position); err != nil {
			return err
		}
	}
	return w.tx.PutState(&w.db.header.Key, r.state)
}

// finish writes what was staged, brings some tables up to date if that is due, and publishes
// the new totals.
func (w *writer) finish() error {
	err := cmp.Or(
		w.tx.SetLastSeq(w.totals.Seq),
		w.attributes.Write(),
		w.totals.PutNames(w.tx, w.channel),
	)
	if err != nil {
		return err
	}
	if err := w.mergeSome(); err != nil {
		return err
	}
	if w.mem.overlay == nil && w.records() > 0 {
		if _, err := w.totals.PutDue(w.tx, w.db.tuning().mergeEvery); err != nil {
			return err
		}
	}
	// Readers do not see them before the commit: they begin at the position that their
	// transaction has.
	w.mem.publish(w.totals, w.oldest)
	return nil
}

func (w *writer) records() int { return int(w.totals.Seq - w.base) }
