package classify

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// trainedSample keeps documents that this process has trained and that the ledger does not
// keep in full, for calibration: those with the least sampleKey, a random sample
// independent of the order of training.
type trainedSample struct {
	mu    sync.Mutex
	docs  map[count.DocID]trainedDocument
	bytes int    // of the documents
	last  uint64 // the greatest key kept after documents were dropped; else 0
}

// trainedDocument has the id of its class, since another class may get the name.
type trainedDocument struct {
	id    count.DocID
	class count.ClassID
	doc   *store.Encoded
	key   uint64
}

// trainedMost and trainedBytes are the limits to which the sample is cut each time it has
// reached twice as much.
const (
	trainedMost  = sampleMost
	trainedBytes = 16 << 20
)

// follow applies d to the sample, after a database with these classes has applied it.
func (r *trainedSample) follow(d *store.Delta, classes []*count.Class) {
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
			r.add(trainedDocument{id, classes[at].ID, doc, sampleKey(id)})
		}
	})
}

func (r *trainedSample) drop(id count.DocID) {
	if kept, known := r.docs[id]; known {
		r.bytes -= len(kept.doc.Raw)
		delete(r.docs, id)
	}
}

// add keeps a document if its key is among the least. Now and then the excess is dropped.
func (r *trainedSample) add(doc trainedDocument) {
	if r.last != 0 && doc.key > r.last {
		return
	}
	if r.docs == nil {
		r.docs = make(map[count.DocID]trainedDocument)
	}
	r.docs[doc.id] = doc
	r.bytes += len(doc.doc.Raw)
	if len(r.docs) < 2*trainedMost && r.bytes < 2*trainedBytes {
		return
	}
	all := r.sorted()
	for len(all) > 1 && (len(all) > trainedMost || r.bytes > trainedBytes) {
		r.drop(all[len(all)-1].id)
		all = all[:len(all)-1]
	}
	r.last = all[len(all)-1].key
}

// sorted returns the documents kept, in order of their keys.
func (r *trainedSample) sorted() []trainedDocument {
	return slices.SortedFunc(maps.Values(r.docs), func(a, b trainedDocument) int {
		return cmp.Or(cmp.Compare(a.key, b.key), slices.Compare(a.id[:], b.id[:]))
	})
}

// list is sorted, beside trainings.
func (r *trainedSample) list() []trainedDocument {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sorted()
}
