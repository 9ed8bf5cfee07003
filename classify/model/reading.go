package model

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/store/count"
)

// Reading reads documents and scores them with the cached terms of TermSums. Its memory
// is reused for the next document; it is for one goroutine.
type Reading struct {
	hashes  []uint64 // by term of the document
	found   []record // by term of the document
	missing []int32  // terms of the document without a record
	slots   []uint64 // by term of the document: the slot where its search begins
	near    uint64   // keeps the compiler from removing prefetching reads

	asked  []count.TermCount
	memory contributions
	run    []contribution // of means, or the contributions of a list
	begins []int          // by missing term: the start of its record
	data   []uint64       // the records

	means   [maxSums]weighed
	sums    [maxSums]float64
	totals  [maxLists]float64    // by list: the sum of the weights of all terms
	squares [layer.Kinds]float64 // of terms, by kind
	kinds   float64              // that the document has
}

// ReadTerms looks up e.Terms by their hashes. It leaves the sums for Score, but no rows. It
// calls strong with the ratio of each term that TermSums.Strong reports, and whether it is of
// a field, and returns the number of known terms.
func (m *Reading) ReadTerms(r Reader, k *TermSums, e *Evidence, hashes []uint64, strong func(ratio float64, field bool)) (known int, err error) {
	e.reset()
	m.hashes = hashes
	m.begins, m.data = m.begins[:0], m.data[:0]
	m.find(k.records.table())
	if err := m.look(r, k, e); err != nil {
		return 0, err
	}
	for at, i := range m.missing {
		m.found[i] = m.data[m.begins[at]:]
	}
	if 0 < len(m.missing) && len(m.missing) <= maxFresh {
		k.records.add(m)
	}
	known = m.add(k, e, strong)
	clear(m.found) // so that a table can be freed
	return known, nil
}

// find sets m.found for the terms in the table, and m.missing to the others.
//
// It reads memory in three loops, for the slots, the records, and the found records, since a
// processor can wait for many memory reads at once.
func (m *Reading) find(t *recordTable) {
	m.found, m.missing = slices.Grow(m.found[:0], len(m.hashes))[:len(m.hashes)], m.missing[:0]
	slots := *t.slots.Load()
	mask, near := uint64(len(slots)-1), uint64(0)
	m.slots = m.slots[:0]
	for _, hash := range m.hashes {
		m.slots = append(m.slots, slots[hash>>hashBits&mask].Load())
	}
	for _, s := range m.slots {
		if s != 0 {
			near |= t.at(uint32(s))[0]
		}
	}
	for i, hash := range m.hashes {
		r := t.find(slots, m.slots[i], hash)
		m.found[i] = r
		if r == nil {
			m.missing = append(m.missing, int32(i))
			continue
		}
		for line := cacheLine; line < r.size(); line += cacheLine {
			near |= r[line]
		}
	}
	m.near |= near
}

// cacheLine is the unit of memory that a processor fetches, in words.
const cacheLine = 64 / 8

// look looks up the terms that no table has.
func (m *Reading) look(r Reader, k *TermSums, e *Evidence) error {
	if len(m.missing) == 0 {
		return nil
	}
	m.asked = m.asked[:0]
	for _, i := range m.missing {
		m.asked = append(m.asked, e.Terms[i])
	}
	err := e.read(r, m.asked, false)
	rows := e.Rows
	if e.Rows = e.Rows[:0]; err != nil {
		return err
	}
	for asked := range m.missing {
		if len(rows) > 0 && rows[0].At == asked {
			m.record(k, asked, &rows[0])
			rows = rows[1:]
		} else {
			m.record(k, asked, nil)
		}
	}
	return nil
}

// add sums the contributions of the terms of a document, in their order, calls strong with
// the strong ones, and returns the number of known ones.
func (m *Reading) add(k *TermSums, e *Evidence, strong func(ratio float64, field bool)) (known int) {
	clear(m.means[:k.means])
	clear(m.sums[:k.sums])
	m.totals, m.squares, m.kinds = [maxLists]float64{}, [layer.Kinds]float64{}, 1
	e.begin()
	for i, r := range m.found {
		head := r[0]
		if head&isKnown == 0 {
			continue
		}
		x, numbers, data := int(e.Terms[i].N), r[1], r[2:]
		if head&isStrong != 0 {
			strong(math.Float64frombits(data[0]), head&ofField != 0)
			data = data[1:]
		}
		if kind := head & ofChannel / ofChannel; k.layers[kind] >= 0 {
			idf := math.Float64frombits(data[0])
			m.squares[kind] += weightsLogSquared[x] * (idf * idf)
			data = addLayer(&m.sums, data[1:], head>>layerShift&all, weightsLog[x]*layer.Unit)
		}
		data = addMeans(&m.means, data, numbers&all, weightsLog[x])
		if head&ofChannel != 0 {
			m.kinds = layer.Kinds
			continue
		}
		known++
		e.occur(x)
		for l := range k.lists {
			to := &k.lists[l]
			weight := to.weights[x]
			m.totals[l] += weight
			numbers >>= numberBits
			data = addRun(&m.sums, data, numbers&all, weight)
		}
	}
	return known
}

// Score sets scores to the scores of the document last read by ReadTerms, with known
// known terms and e's attributes.
func (m *Reading) Score(k *TermSums, e *Evidence, scores []float64, known int) {
	copy(scores, k.stack.bias)
	memory := partMemories.Get().(*partMemory)
	defer partMemories.Put(memory)
	for i := range k.stack.parts {
		p, first := &k.stack.parts[i], k.first[i]
		switch {
		case p.attributes || known == 0:
			p.weigh(scores, p.scores(e, k.classes, memory), known)
			continue
		case p.ratios != nil:
			memory.grow(p.ratios.sums(), k.classes*len(p.components))
			for at := range memory.sums {
				sum := m.means[first+at]
				memory.sums[at], memory.n[at] = sum.value, sum.weight
			}
			p.ratios.divide(memory)
		default:
			memory.grow(0, k.classes)
			copy(memory.scores, m.sums[first:])
			p.terms.conclude(e, memory.scores, m.total(k, i))
		}
		p.weigh(scores, memory.scores, known)
	}
}

// total returns the total weight of all terms, for a part.
func (m *Reading) total(k *TermSums, part int) float64 {
	if kind := slices.Index(k.layers[:], part); kind >= 0 {
		return m.kinds * m.squares[kind]
	}
	return m.totals[slices.IndexFunc(k.lists, func(to list) bool { return slices.Contains(to.parts, part) })]
}
