package crash

import (
	"github.com/polya-classifier/polya/store/count"
)

// trainer holds what one trainer has learned after so many steps.
type trainer struct {
	plan    *Plan
	number  int
	step    int
	next    int // number of the next document
	docs    map[int]*document
	order   []int // of docs, as they were learned
	inClass [classes]int
	other   bool // the class that is renamed has its other name

	sum  bool // keep sums
	sums Sums
}

func newTrainer(p *Plan, number int) *trainer {
	return &trainer{plan: p, number: number, docs: map[int]*document{}}
}

// advance does a step in memory.
func (t *trainer) advance(o operation) {
	switch o.kind {
	case train, trainFew, trainBulk, merge, load, position:
		for _, n := range o.docs {
			t.docs[n] = &document{class: firstClass(n)}
			t.order = append(t.order, n)
			t.count(n, 1)
		}
		t.next += len(o.docs)
	case relabel:
		n := o.docs[0]
		t.count(n, -1)
		t.docs[n].class = o.to
		// A document kept as a digest needs the text, and so is learned whole.
		t.docs[n].pruned = t.docs[n].pruned && t.plan.Ledger == count.LedgerFull
		t.count(n, 1)
	case forget, forgetMany:
		t.remove(func(n int, _ *document) bool { return n >= o.docs[0] && n <= o.docs[len(o.docs)-1] })
	case deleteClass:
		t.remove(func(_ int, d *document) bool { return d.class == trash })
	case prune:
		for _, n := range t.order {
			t.count(n, -1)
			t.docs[n].pruned = true
			t.count(n, 1)
		}
	case renameClass:
		t.other = !t.other
	}
	t.step++
	if o.kind == position {
		t.sums.Position = uint64(t.step)
	}
	if o.kind == state {
		t.sums.State = uint64(t.step)
	}
}

// remove forgets the documents for which f says yes.
func (t *trainer) remove(f func(number int, d *document) bool) {
	kept := make([]int, 0, len(t.order))
	for _, n := range t.order {
		if !f(n, t.docs[n]) {
			kept = append(kept, n)
			continue
		}
		t.count(n, -1)
		delete(t.docs, n)
	}
	t.order = kept
}

// count adds a document to the sums, or takes it away.
func (t *trainer) count(number, sign int) {
	d := t.docs[number]
	t.inClass[d.class] += sign
	if t.sum {
		t.sums.count(t, number, uint64(sign))
	}
}

// moment is the expected content after a step.
type moment struct {
	sums Sums
	name string // of the class that is renamed, if it has documents

	kind kind // of the step

	// These are of the last step that wrote the file; 0 is none.
	backup, copied int
}

func (t *trainer) now() moment {
	m := moment{sums: t.sums}
	if t.inClass[renamed] > 0 {
		m.name = className(t.number, renamed, t.other)
	}
	return m
}

// document returns a document as the store is given it.
func (t *trainer) document(number, class int) count.Document {
	d := t.plan.content(t.number, number)
	d.Class = className(t.number, class, t.other)
	return d
}
