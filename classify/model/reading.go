package model

import (
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"

	"github.com/polya-classifier/polya/store/count"
)

// Reading reads documents and scores them by what TermSums keep of their terms. It is
// memory for one document after another, for one goroutine.
type Reading struct {
	hashes  []uint32 // by term of the document
	found   [][]byte // by term of the document: its record
	missing []int32  // terms of the document that have none
	slots   []uint64 // memory of touch
	near    byte     // keeps the compiler from leaving out touch

	asked  []count.TermCount
	memory contributions
	fresh  []int32 // terms of the document whose records are to be added
	begins []int   // of these: where the record begins
	data   []byte  // the records

	means   []sum
	sums    []float64
	totals  []float64 // by list: of all terms
	squares float64   // of all terms
	strong  []StrongTerm
}

// StrongTerm is a term of a document that TermSums.Strong reports.
type StrongTerm struct {
	Ratio float64
	Field bool
}

// sum is of weighed contributions and of their weights.
type sum struct{ value, weight float64 }

// ReadTerms looks up e.Terms, of which there are at most MaxKept, by their hashes. It
// leaves no rows, but what Score needs. It returns the number of known terms, and the
// strong ones in their order, which are valid until the next call.
func (m *Reading) ReadTerms(r Reader, k *TermSums, e *Evidence, hashes []uint32) (known int, strong []StrongTerm, err error) {
	e.reset()
	m.hashes = hashes
	m.fresh, m.begins, m.data = m.fresh[:0], m.begins[:0], m.data[:0]
	m.find(k.records.tables(), e.Terms)
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
func (m *Reading) find(from *recordTables, terms []count.TermCount) {
	m.found, m.missing = slices.Grow(m.found[:0], len(terms))[:len(terms)], m.missing[:0]
	for i := range terms {
		m.missing = append(m.missing, int32(i))
	}
	m.findIn(from.young, terms, false)
	if from.old == nil || len(m.missing) == 0 {
		return
	}
	m.findIn(from.old, terms, true)
}

// findIn sets m.found for the missing terms that a table has, and takes them out of m.missing.
// If they are to go into a younger table, it copies the records.
func (m *Reading) findIn(t *recordTable, terms []count.TermCount, again bool) {
	slots := *t.slots.Load()
	m.touch(t, slots)
	m.missing = slices.DeleteFunc(m.missing, func(i int32) bool {
		record := t.find(slots, m.hashes[i], terms[i].Term)
		if m.found[i] = record; again && record != nil {
			m.begin(i)
			m.data = append(m.data, record[:sizeOf(record)]...)
		}
		return record != nil
	})
}

// touch goes to where a table has the missing terms, twice in loops that do nothing else:
// so a processor waits for many places of memory at a time.
func (m *Reading) touch(t *recordTable, slots []atomic.Uint64) {
	m.slots = m.slots[:0]
	mask := uint32(len(slots) - 1)
	for _, i := range m.missing {
		m.slots = append(m.slots, slots[m.hashes[i]&mask].Load())
	}
	near := byte(0)
	for _, s := range m.slots {
		if s != 0 {
			near |= t.at(uint32(s))[0]
		}
	}
	m.near |= near
}

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
	term := m.asked[asked].Term
	at := len(m.data)
	m.begin(m.missing[asked])
	var head [recordHead]byte
	head[0] = byte(len(term))
	m.data = append(append(m.data, head[:]...), term...)
	if row == nil {
		return
	}
	channel := count.OfChannel(term)
	m.data[at+1] = 1
	if channel {
		m.data[at+1] |= 4
	}
	row.Term = term
	if k.FieldsOf != nil {
		row.Fields = k.FieldsOf(term)
	}
	if k.Strong != nil && !channel {
		if r := k.Strong(row); r != 0 {
			if k.Field(term) {
				m.data[at+1] |= 2
			}
			binary.LittleEndian.PutUint64(m.data[at+recordRatio:], math.Float64bits(r))
		}
	}
	if k.squared != nil {
		binary.LittleEndian.PutUint64(m.data[at+recordSquare:], math.Float64bits(k.squared.square(row)))
	}
	for l := range k.lists {
		n := 0
		for _, from := range k.lists[l].of {
			if channel && !from.part.readsChannels() {
				continue
			}
			from.part.contribute(row, &m.memory)
			m.data = appendContributions(m.data, from.to, m.memory.list)
			n += len(m.memory.list)
		}
		binary.LittleEndian.PutUint16(m.data[at+recordCounts+2*l:], uint16(n))
	}
}

// add adds up the contributions of the terms of a document, in their order, lists the
// strong ones, and returns how many are known.
func (m *Reading) add(k *TermSums, e *Evidence) (known int) {
	m.strong = m.strong[:0]
	m.means, m.sums, m.totals = zeros(m.means, k.means), zeros(m.sums, k.sums), zeros(m.totals, len(k.lists))
	m.squares = 0
	e.begin()
	for i, record := range m.found {
		if record[1] == 0 {
			continue
		}
		channel := record[1]&4 != 0
		if r := binary.LittleEndian.Uint64(record[recordRatio:]); r != 0 {
			m.strong = append(m.strong, StrongTerm{math.Float64frombits(r), record[1]&2 != 0})
		}
		x := int(e.Terms[i].N)
		if !channel {
			known++
			e.occur(x)
		}
		m.squares += weightsLogSquared[x] * math.Float64frombits(binary.LittleEndian.Uint64(record[recordSquare:]))
		data := record[recordHead+int(record[0]):]
		for l := range k.lists {
			weight := k.lists[l].weights[x]
			if !channel {
				m.totals[l] += weight
			}
			size := contributionSize * int(binary.LittleEndian.Uint16(record[recordCounts+2*l:]))
			if k.lists[l].means {
				addMeans(m.means, data[:size], weight)
			} else {
				addSums(m.sums, data[:size], weight)
			}
			data = data[size:]
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

func addMeans(means []sum, data []byte, weight float64) {
	for len(data) >= contributionSize {
		to := &means[binary.LittleEndian.Uint16(data)]
		to.value += weight * math.Float64frombits(binary.LittleEndian.Uint64(data[2:]))
		to.weight += weight
		data = data[contributionSize:]
	}
}

func addSums(sums []float64, data []byte, weight float64) {
	for len(data) >= contributionSize {
		sums[binary.LittleEndian.Uint16(data)] += weight * math.Float64frombits(binary.LittleEndian.Uint64(data[2:]))
		data = data[contributionSize:]
	}
}

// Score sets scores to those of the document that ReadTerms has read last, of which so
// many terms are known, and of e's attributes.
func (m *Reading) Score(k *TermSums, e *Evidence, scores []float64, known int) {
	copy(scores, k.stack.bias)
	memory := partMemories.Get().(*partMemory)
	defer partMemories.Put(memory)
	means, sums := m.means, m.sums
	for i := range k.stack.parts {
		p := &k.stack.parts[i]
		if p.attributes || known == 0 {
			p.weigh(scores, p.scores(e, k.classes, memory), known)
			continue
		}
		size := p.sums(k.classes)
		memory.room(size, k.classes*len(p.components))
		if p.ratios != nil {
			for at, sum := range means[:size] {
				memory.sums[at], memory.n[at] = sum.value, sum.weight
			}
			means = means[size:]
			p.ratios.divide(memory)
		} else {
			copy(memory.scores, sums[:size])
			sums = sums[size:]
			total := m.squares
			if p.squared == nil {
				weights := p.terms.weights()
				total = m.totals[slices.IndexFunc(k.lists, func(l list) bool { return l.is(p, weights) })]
			}
			p.terms.conclude(e, memory.scores, total)
		}
		p.weigh(scores, memory.scores, known)
	}
}
