package classify

import (
	"bytes"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store"
)

// recent keeps documents that this process has trained and that the ledger does
// not keep in full, so that there are some to calibrate by: those of the least
// ids, which are a sample in the order of a hash, whatever was trained first.
type recent struct {
	mu   sync.Mutex
	docs map[store.DocID]*recentDocument
	last store.DocID // the greatest id kept, if as many as may be are
}

type recentDocument struct {
	class string
	doc   func() (store.Document, error)
}

// recentMost is the number of documents kept. Each is 1 to 3 KB.
const recentMost = sampleMost

// follow does what d has done.
func (r *recent) follow(d *store.Delta) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Each(func(id store.DocID, class string, doc func() (store.Document, error)) {
		kept := r.docs[id]
		switch {
		case class == "":
			delete(r.docs, id)
		case kept != nil:
			kept.class = class
		case doc != nil:
			r.add(id, &recentDocument{class, doc})
		}
	})
}

// add keeps a document if its id is among the least. Every now and then those
// that are too many go.
func (r *recent) add(id store.DocID, doc *recentDocument) {
	if r.last != (store.DocID{}) && bytes.Compare(id[:], r.last[:]) > 0 {
		return
	}
	if r.docs == nil {
		r.docs = make(map[store.DocID]*recentDocument)
	}
	r.docs[id] = doc
	if len(r.docs) < 2*recentMost {
		return
	}
	ids := r.ids()
	for _, id := range ids[recentMost:] {
		delete(r.docs, id)
	}
	r.last = ids[recentMost-1]
}

// ids returns the ids of the documents kept, ascending.
func (r *recent) ids() []store.DocID {
	ids := make([]store.DocID, 0, len(r.docs))
	for id := range r.docs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b store.DocID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

// each calls f for the documents kept, in the order of their ids.
func (r *recent) each(f func(*store.Document) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range r.ids() {
		kept := r.docs[id]
		doc, err := kept.doc()
		if err != nil {
			return err
		}
		doc.Class = kept.class
		if err := f(&doc); err != nil {
			return err
		}
	}
	return nil
}
