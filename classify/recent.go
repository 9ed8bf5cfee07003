package classify

import (
	"cmp"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// recent keeps documents that this process has trained and that the ledger does
// not keep in full, so that there are some to calibrate by: those of the least
// sampleKey, which are a sample whatever was trained first.
type recent struct {
	mu    sync.Mutex
	docs  map[count.DocID]recentDocument
	bytes int    // of the documents
	last  uint64 // the greatest key kept, if as much as may be is; else 0
}

// recentDocument is a document with the id of its class: a name may be given to
// another class.
type recentDocument struct {
	class count.ClassID
	doc   *store.Encoded
	key   uint64
}

// recentMost and recentBytes are what is kept once there is twice as much.
const (
	recentMost  = sampleMost
	recentBytes = 16 << 20
)

// follow does what d has done to a database that has these classes now.
func (r *recent) follow(d *store.Delta, classes []*count.Class) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Each(func(id count.DocID, name string, doc *store.Encoded) {
		at := count.ClassNamed(classes, name)
		kept, known := r.docs[id]
		switch {
		case at < 0:
			r.drop(id)
		case known:
			kept.class = classes[at].ID
			r.docs[id] = kept
		case doc != nil:
			r.add(id, recentDocument{classes[at].ID, doc, sampleKey(id)})
		}
	})
}

func (r *recent) drop(id count.DocID) {
	if kept, known := r.docs[id]; known {
		r.bytes -= kept.doc.Size()
		delete(r.docs, id)
	}
}

// add keeps a document if its key is among the least. Every now and then those
// that are too many go.
func (r *recent) add(id count.DocID, doc recentDocument) {
	if r.last != 0 && doc.key > r.last {
		return
	}
	if r.docs == nil {
		r.docs = make(map[count.DocID]recentDocument)
	}
	r.docs[id] = doc
	r.bytes += doc.doc.Size()
	if len(r.docs) < 2*recentMost && r.bytes < 2*recentBytes {
		return
	}
	ids := r.ids()
	for len(ids) > 1 && (len(ids) > recentMost || r.bytes > recentBytes) {
		r.drop(ids[len(ids)-1])
		ids = ids[:len(ids)-1]
	}
	r.last = sampleKey(ids[len(ids)-1])
}

// ids returns the ids of the documents kept, by their keys.
func (r *recent) ids() []count.DocID {
	ids := make([]count.DocID, 0, len(r.docs))
	for id := range r.docs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b count.DocID) int {
		return cmp.Or(cmp.Compare(sampleKey(a), sampleKey(b)), slices.Compare(a[:], b[:]))
	})
	return ids
}

// list returns the documents kept, by their keys.
func (r *recent) list() []recentDocument {
	r.mu.Lock()
	defer r.mu.Unlock()
	var docs []recentDocument
	for _, id := range r.ids() {
		docs = append(docs, r.docs[id])
	}
	return docs
}
