package store

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// writer carries out the requests of one transaction, each document as one log record.
// All other changes stay in memory until the end.
type writer struct {
	db  *DB
	tx  layout.Tx
	mem *memory
	*layout.Lookup
	whole  bool // the overlay has all rows of the tail, not only those wanted
	recent *layout.Recents
	base   uint64 // the position before the transaction
	oldest uint64 // no reader is before this position

	totals *totals.Totals // as of the last record; its classes are shared unless owned
	owned  map[count.ClassID]bool

	// For many requests the histograms of classes are changed at the end and are out of date
	// until then, unless one of the requests needs them exactly.
	histograms *totals.Histograms
	exact      bool

	given   *rows.Terms     // of the document of the step, or nil
	last    bool            // the step of the request is its last
	channel bool            // some term is of a channel
	changed bool            // the transaction has something to commit
	records []stored.Record // that wait for the end of the transaction
	recents []recentBefore

	*staging

	attributes *attributes.Changes // as of the last record
	broken     error               // why nothing can be committed

	committed []func() // called after the commit
}

// staging is memory that writers reuse.
type staging struct {
	lookup layout.Lookup
	done   []rows.Done // of the request
	own    rows.Terms  // of a record whose document no caller has given
	before []uint64    // document frequencies of the terms of a record
	row    table.Row   // to decode
}

// maxStaged is how many terms memory is kept for.
const maxStaged = 1 << 14

// recentBefore is the value in recent of a document before the request changed it.
type recentBefore struct {
	id  count.DocID
	old layout.Recent
	had bool
}

func (db *DB) writeFew(batch []*request) error {
	if slices.ContainsFunc(batch, func(r *request) bool { return r.delta != nil }) {
		db.writes++
	}
	if err := db.rememberLocked(db.writes > 1); err != nil {
		return err
	}
	var w *writer
	err := db.update(func(tx layout.Tx) (*memory, error) {
		w = &writer{db: db, mem: db.memory, tx: tx, Lookup: &db.staging.lookup, staging: &db.staging}
		if err := w.begin(batch); err != nil {
			return nil, err
		}
		w.lookAhead(batch)
		w.histograms = totals.NewHistograms()
		for _, r := range batch {
			r.applied = Applied{}
			w.exact = len(batch) == 1 || r.takes()
			if w.run(r); w.broken != nil {
				return nil, w.broken
			}
		}
		if len(w.records) == 0 && !w.changed {
			return nil, errNothing
		}
		return nil, w.finish()
	})
	db.staging.lookup.Forget()
	if cap(db.staging.done) > maxStaged {
		db.staging = staging{}
	}
	if err == nil {
		for _, f := range w.committed {
			f()
		}
		w.mem.purge(db.file.Oldest(w.totals.Seq))
		db.growth.wrote(w.totals.Seq-uint64(len(w.records)), w.totals)
		db.shrinkOpen()
	}
	return err
}

// begin reads what the requests need: the tables' directory, and an overlay, which in a
// process that has trained only once is made only for their terms.
func (w *writer) begin(batch []*request) error {
	w.totals = w.mem.newest()
	w.attributes = attributes.NewChanges(w.tx, true)
	w.base = w.totals.Seq
	w.oldest = w.db.file.Oldest(w.base)
	if err := w.Dir.Load(w.tx); err != nil {
		return err
	}
	w.Fold.Epoch = w.totals.Epoch
	w.Overlay, w.recent = w.mem.overlay, w.mem.recent
	if w.whole = w.Overlay != nil; w.whole {
		return nil
	}
	w.recent = layout.NewRecents() // of the documents that are asked of
	want, err := w.wanted(batch)
	if err != nil {
		return err
	}
	w.whole = want == nil
	w.Overlay, err = w.tx.SumTail(&w.Dir, &w.db.header.Key, want, nil)
	return err
}

// fewWanted is the greatest number of steps for which scanning the tail of the log for
// their terms costs less than summing all of it.
const fewWanted = 4

// wanted says which terms the overlay must have; nil means all.
func (w *writer) wanted(batch []*request) (*rows.Wanted, error) {
	steps := 0
	for _, r := range batch {
		if r.delta != nil {
			steps += len(r.delta.steps)
		}
	}
	if steps > fewWanted || w.turnToMerge(uint64(steps)) {
		return nil, nil
	}
	want := rows.NewWanted(&w.db.header.Key, 256)
	for _, r := range batch {
		if r.delta == nil {
			continue
		}
		if err := w.want(r.delta, want); err != nil {
			return nil, err
		}
	}
	return want, nil
}

// want adds the terms that d names to want. For a bare id, the terms that the ledger has
// for it are added.
func (w *writer) want(d *Delta, want *rows.Wanted) error {
	for i := range d.steps {
		s := &d.steps[i]
		if s.doc != nil {
			s.doc.Each(func(term []byte, _ uint8) { want.Add(term) })
		}
		e, err := w.Entry(s.id)
		if err != nil {
			return err
		}
		if e == nil || e.Keep != count.LedgerFull {
			continue
		}
		old, err := w.Logged(e)
		if err != nil {
			return err
		}
		old.Each(func(term []byte, _ uint8) { want.Add(term) })
	}
	return nil
}

// lookAhead looks for the terms of documents that were hashed by their callers.
func (w *writer) lookAhead(batch []*request) {
	var list []*rows.Terms
	for _, r := range batch {
		for i, t := range r.terms {
			if t == nil {
				continue
			}
			t.Ahead = false
			if c := w.totals.Named(r.delta.steps[i].class); c != nil {
				t.Class = uint32(c.ID)
				list = append(list, t)
			}
		}
	}
	if len(list) > 1 { // or it is as well done in its turn
		// Terms that fail are looked up again in their turn.
		_ = w.each(len(list), func(l *layout.Lookup, i int) error { return l.Ahead(list[i], list[i].Class) })
	}
}

// each calls f for the numbers below n, on all processors in a long-lived process, while
// nobody changes the overlay or writes to the file. It returns the error of the lowest number.
func (w *writer) each(n int, f func(l *layout.Lookup, i int) error) error {
	var next atomic.Int64
	errs := make([]error, n)
	work := func(l *layout.Lookup) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			errs[i] = guarded(func() error { return f(l, i) })
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		if w.mem.overlay != nil {
			others.Go(func() { work(&layout.Lookup{Dir: w.Dir, Overlay: w.Overlay, Fold: rows.Folder{Epoch: w.Fold.Epoch}}) })
		}
	}
	work(w.Lookup)
	others.Wait()
	return cmp.Or(errs...)
}

func guarded(f func() error) (err error) {
	defer fault.Guard(&err, "")()
	return f()
}

// run carries out r or, if that fails, leaves everything as it was.
func (w *writer) run(r *request) {
	if w.exact {
		if w.broken = w.histograms.AddTo(w.totals); w.broken != nil {
			return
		}
	}
	before, records, recents := w.totals, len(w.records), len(w.recents)
	w.done = w.done[:0]
	attributes := w.attributes.Logged()
	w.totals = before.Clone()
	w.owned = make(map[count.ClassID]bool)
	if r.err = w.steps(r); r.err == nil || w.broken != nil {
		return
	}
	r.applied = Applied{}
	for i := records; i < len(w.records) && !w.exact; i++ {
		w.histograms.Add(w.totals.ByID(w.records[i].Class), &w.records[i], -1)
	}
	w.totals, w.records = before, w.records[:records]
	w.Overlay.Lock()
	for i := len(w.done) - 1; i >= 0; i-- {
		w.Overlay.Undo(&w.done[i])
	}
	w.Overlay.Unlock()
	for i := len(w.recents) - 1; i >= recents; i-- {
		n := &w.recents[i]
		w.recent.Set(n.id, n.old, n.had)
	}
	w.recents = w.recents[:recents]
	w.broken = w.attributes.Undo(attributes)
	if w.broken == nil && r.position > 0 && isRefusal(r.err) {
		r.refuse(r.err)
		r.err = w.settings(r)
	}
}

func (w *writer) steps(r *request) error {
	skip, err := r.skips(w.tx)
	if err != nil || skip {
		r.applied.Skipped = skip
		return err
	}
	if r.delta != nil {
		rules := rules{w, w.tx, &w.db.header.Key, w.totals, cmp.Or(r.delta.Keep, w.db.header.Ledger), &r.applied, &w.row, nil}
		for i := range r.delta.steps {
			w.given, w.last = r.documentTerms(i), i == len(r.delta.steps)-1
			if err := rules.step(&r.delta.steps[i]); err != nil {
				return err
			}
		}
		if w.broken = rules.putNotes(); w.broken != nil {
			return w.broken
		}
	}
	if err = w.settings(r); r.delta != nil {
		w.broken = err // its last document is not taken back
	}
	return err
}

// settings writes the changes of a request other than the counts. It is called last, when
// the request cannot fail any more.
func (w *writer) settings(r *request) error {
	if r.position > 0 {
		w.changed = true
		if err := w.tx.PutPosition(r.position); err != nil {
			return err
		}
	}
	if r.state == nil {
		return nil
	}
	w.changed = true
	return w.tx.PutState(&w.db.header.Key, r.state)
}

// finish writes what was staged, brings some tables up to date if that is due,
// and publishes the new totals.
func (w *writer) finish() error {
	if err := cmp.Or(w.histograms.AddTo(w.totals), w.writeStaged()); err != nil {
		return err
	}
	if err := w.mergeSome(); err != nil {
		return err
	}
	if w.mem.overlay == nil && len(w.records) > 0 {
		// Later processes then have fewer records to count.
		due, err := w.tx.FoldDue(w.db.tuning().mergeEvery)
		if err == nil && due {
			err = w.db.putFold(w.tx, w.totals)
		}
		if err != nil {
			return err
		}
	}
	// Readers do not see the new totals before the commit: they begin at the
	// position of the log that their transaction has.
	w.mem.publish(w.totals, w.oldest)
	return nil
}

func (w *writer) writeStaged() error {
	for i := range w.records {
		r := &w.records[i]
		if err := w.tx.PutRecord(r); err != nil {
			return err
		}
		if len(r.Doc.Dropped) > 0 {
			if err := w.tx.SetFlag(stored.FlagPruned); err != nil {
				return err
			}
		}
	}
	if w.channel {
		if err := w.tx.SetFlag(stored.FlagChannels); err != nil {
			return err
		}
	}
	return cmp.Or(w.tx.SetLastSeq(w.totals.Seq), w.attributes.Write(), w.totals.PutNames(w.tx))
}
