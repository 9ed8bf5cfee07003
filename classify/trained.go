package classify

import (
	"cmp"
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
			r.add(id, trainedDocument{classes[at].ID, doc, sampleKey(id)})
		}
	})
}

func (r *trainedSample) drop(id count.DocID) {
	if kept, known := r.docs[id]; known {
		r.bytes -= len(kept.doc.Bytes())
		delete(r.docs, id)
	}
}

// add keeps a document if its key is among the least. Now and then the excess is dropped.
func (r *trainedSample) add(id count.DocID, doc trainedDocument) {
	if r.last != 0 && doc.key > r.last {
		return
	}
	if r.docs == nil {
		r.docs = make(map[count.DocID]trainedDocument)
	}
	r.docs[id] = doc
	r.bytes += len(doc.doc.Bytes())
	if len(r.docs) < 2*trainedMost && r.bytes < 2*trainedBytes {
		return
	}
	ids := r.ids()
	for len(ids) > 1 && (len(ids) > trainedMost || r.bytes > trainedBytes) {
		r.drop(ids[len(ids)-1])
		ids = ids[:len(ids)-1]
	}
	r.last = sampleKey(ids[len(ids)-1])
}

// ids returns the ids of the documents kept, in order of their keys.
func (r *trainedSample) ids() []count.DocID {
	ids := make([]count.DocID, 0, len(r.docs))
	for id := range r.docs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b count.DocID) int {
		return cmp.Or(cmp.Compare(sampleKey(a), sampleKey(b)), slices.Compare(a[:], b[:]))
	})
	return ids
}

// list returns the documents kept, in order of their keys.
func (r *trainedSample) list() []trainedDocument {
	r.mu.Lock()
	defer r.mu.Unlock()
	var docs []trainedDocument
	for _, id := range r.ids() {
		docs = append(docs, r.docs[id])
	}
	return docs
}
