package model

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Reading reads documents and scores them by what TermSums keep of their terms. It is
// memory for one document after another, for one goroutine.
type Reading struct {
	hashes  []uint64 // by term of the document
	found   []record // by term of the document
	missing []int32  // terms of the document that have none
	slots   []uint64 // by missing term: the slot where its search begins
	near    uint64   // keeps the compiler from leaving out what goes to memory early

	asked  []count.TermCount
	memory contributions
	run    []contribution // of a list
	fresh  []int32        // terms of the document whose records are to be added
	begins []int          // of these: where the record begins
	data   []uint64       // the records

	means   []weighed
	sums    []float64
	totals  []float64 // by list: of the weights of all terms
	squares float64   // of all terms
	strong  []StrongTerm
}

// StrongTerm is a term of a document that TermSums.Strong reports.
type StrongTerm struct {
	Ratio float64
	Field bool
}

// ReadTerms looks up e.Terms, of which there are at most MaxKept, by their hashes. It
// leaves no rows, but what Score needs. It returns the number of known terms, and the
// strong ones in their order, which are valid until the next call.
func (m *Reading) ReadTerms(r Reader, k *TermSums, e *Evidence, hashes []uint64) (known int, strong []StrongTerm, err error) {
	e.reset()
	m.hashes = hashes
	m.fresh, m.begins, m.data = m.fresh[:0], m.begins[:0], m.data[:0]
	m.find(k.records.tables())
	if err := m.look(r, k, e); err != nil {
		return 0, nil, err
	}
	if len(m.fresh) > 0 {
		for at, i := range m.fresh {
			m.found[i] = m.data[m.begins[at]:]
		}
		k.records.add(m)
	}
	known = m.add(k, e)
	clear(m.found) // or tables could not go
	return known, m.strong, nil
}

// find sets m.found for the terms that a table has, and m.missing to the others.
func (m *Reading) find(from *recordTables) {
	m.found, m.missing = slices.Grow(m.found[:0], len(m.hashes))[:len(m.hashes)], m.missing[:0]
	for i := range m.hashes {
		m.missing = append(m.missing, int32(i))
	}
	m.findIn(from.young, false)
	if from.old != nil && len(m.missing) > 0 {
		m.findIn(from.old, true)
	}
}

// findIn sets m.found for the missing terms that a table has, and takes them out of m.missing.
// If they are to go into a younger table, it copies the records.
//
// It goes to memory in three loops, for a processor waits for many places of memory at a
// time, but looks ahead a few hundred instructions: for the slots, for the records that they
// lead to, and for all of those found.
func (m *Reading) findIn(t *recordTable, again bool) {
	slots := *t.slots.Load()
	mask, near := uint64(len(slots)-1), uint64(0)
	m.slots = m.slots[:0]
	for _, i := range m.missing {
		m.slots = append(m.slots, slots[m.hashes[i]&mask].Load())
	}
	for _, s := range m.slots {
		if s != 0 {
			near |= t.at(uint32(s))[0]
		}
	}
	left := m.missing[:0]
	for at, i := range m.missing {
		r := t.find(slots, m.slots[at], m.hashes[i])
		m.found[i] = r
		if r == nil {
			left = append(left, i)
			continue
		}
		if again {
			m.begin(i)
			m.data = append(m.data, r[:r.size()]...)
		}
		for line := cacheLine; line < r.size(); line += cacheLine {
			near |= r[line]
		}
	}
	m.missing, m.near = left, m.near|near
}

// cacheLine is as much memory as a processor gets at a time.
const cacheLine = 64 / 8

// look looks up what no table has.
func (m *Reading) look(r Reader, k *TermSums, e *Evidence) (err error) {
	if len(m.missing) == 0 {
		return nil
	}
	m.asked = m.asked[:0]
	for _, i := range m.missing {
		m.asked = append(m.asked, e.Terms[i])
	}
	done := 0
	e.cells, err = r.AppendRows(e.cells, m.asked, false, func(i int, cells []count.Cell) error {
		if k.Keep != nil && !k.Keep(m.asked[i].Term, cells) {
			return nil
		}
		for ; done < i; done++ {
			m.record(k, done, nil)
		}
		row := Row{X: 1, Cells: cells}
		row.sum()
		m.record(k, i, &row)
		done = i + 1
		return nil
	})
	if err != nil {
		return err
	}
	for ; done < len(m.missing); done++ {
		m.record(k, done, nil)
	}
	return nil
}

// begin notes that the record of term i begins at the end of the data.
func (m *Reading) begin(i int32) {
	m.fresh, m.begins = append(m.fresh, i), append(m.begins, len(m.data))
}

// record makes the record of a term that was asked for, of which row is nil if it is not known.
func (m *Reading) record(k *TermSums, asked int, row *Row) {
	term, at, i := m.asked[asked].Term, len(m.data), m.missing[asked]
	m.begin(i)
	m.data = append(m.data, m.hashes[i]<<hashBits)
	if row != nil {
		row.Term = term
		if k.FieldsOf != nil {
			row.Fields = k.FieldsOf(term)
		}
		m.describe(k, at, row)
	}
	m.data[at] |= uint64(len(m.data) - at)
}

// describe appends what the record of a known term has behind its first word, and sets the
// flags in that.
func (m *Reading) describe(k *TermSums, at int, row *Row) {
	channel, ratio := count.OfChannel(row.Term), 0.0
	m.data[at] |= isKnown
	if channel {
		m.data[at] |= ofChannel
	} else if k.Strong != nil {
		ratio = k.Strong(row)
	}
	if ratio != 0 {
		m.data[at] |= isStrong
		if k.Field(row.Term) {
			m.data[at] |= ofField
		}
		m.data = append(m.data, math.Float64bits(ratio))
	}
	if k.squared != nil {
		m.data = append(m.data, math.Float64bits(k.squared.square(row)))
	}
	for l := range k.lists {
		to := &k.lists[l]
		m.run = m.run[:0]
		for _, from := range k.sources {
			if from.list != l || channel && !from.part.readsChannels() {
				continue
			}
			from.part.contribute(row, &m.memory)
			for _, one := range m.memory.list {
				m.run = append(m.run, contribution{from.to - to.from + one.class, one.value})
			}
		}
		sums := 0
		if !to.means {
			sums = to.to - to.from
		}
		m.data = appendRun(m.data, m.run, sums)
	}
}

// add adds up the contributions of the terms of a document, in their order, lists the
// strong ones, and returns how many are known.
func (m *Reading) add(k *TermSums, e *Evidence) (known int) {
	m.strong = m.strong[:0]
	m.means, m.sums, m.totals = zeros(m.means, k.means), zeros(m.sums, k.sums), zeros(m.totals, len(k.lists))
	m.squares = 0
	e.begin()
	for i, r := range m.found {
		flags := r[0]
		if flags&isKnown == 0 {
			continue
		}
		x, data := int(e.Terms[i].N), r[1:]
		if flags&isStrong != 0 {
			m.strong = append(m.strong, StrongTerm{math.Float64frombits(data[0]), flags&ofField != 0})
			data = data[1:]
		}
		if k.squared != nil {
			m.squares += weightsLogSquared[x] * math.Float64frombits(data[0])
			data = data[1:]
		}
		if flags&ofChannel == 0 {
			known++
			e.occur(x)
		}
		for l := range k.lists {
			to := &k.lists[l]
			weight := to.weights[x]
			if flags&ofChannel == 0 {
				m.totals[l] += weight
			}
			if to.means {
				data = addMeans(m.means[to.from:to.to], data, weight)
			} else {
				data = addRun(m.sums[to.from:to.to], data, weight)
			}
		}
	}
	e.listOccurs()
	return known
}

func zeros[T any](memory []T, n int) []T {
	memory = slices.Grow(memory[:0], n)[:n]
	clear(memory)
	return memory
}

// Score sets scores to those of the document that ReadTerms has read last, of which so
// many terms are known, and of e's attributes.
func (m *Reading) Score(k *TermSums, e *Evidence, scores []float64, known int) {
	copy(scores, k.stack.bias)
	memory := partMemories.Get().(*partMemory)
	defer partMemories.Put(memory)
	next := 0 // source
	for i := range k.stack.parts {
		p := &k.stack.parts[i]
		if p.attributes || known == 0 {
			p.weigh(scores, p.scores(e, k.classes, memory), known)
			continue
		}
		from, size := &k.sources[next], p.sums(k.classes)
		next++
		memory.room(size, k.classes*len(p.components))
		if p.ratios != nil {
			for at, sum := range m.means[from.to : from.to+size] {
				memory.sums[at], memory.n[at] = sum.value, sum.weight
			}
			p.ratios.divide(memory)
		} else {
			copy(memory.scores, m.sums[from.to:from.to+size])
			total := m.totals[from.list]
			if p.squared != nil {
				total = m.squares
			}
			p.terms.conclude(e, memory.scores, total)
		}
		p.weigh(scores, memory.scores, known)
	}
}
