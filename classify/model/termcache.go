package model

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Cache keeps what the terms of the last documents contribute to scores, so that
// what documents have in common is looked up and computed once. It holds two
// generations. When the young one is full it becomes the old one, and what is asked
// for again moves over from there; the rest goes. It is for one goroutine.
type Cache struct {
	of         *TermSums
	young, old generation

	hashes  []uint32 // by term of the document
	found   []uint32 // by term of the document: its record in young
	missing []int32  // terms of the document that no generation has
	asked   []count.TermCount
	memory  contributions
	slots   []slot // memory of touch
	near    byte   // keeps the compiler from leaving out touch

	sums    []sum
	totals  []float64 // by weights: of all terms
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

// ReadTerms looks up e.Terms, of which there are at most MaxCached, by their hashes. It
// leaves no rows, but what Score needs. It returns the number of known terms, and the
// strong ones in their order, which are valid until the next call.
func (m *Cache) ReadTerms(r Reader, k *TermSums, e *Evidence, hashes []uint32) (known int, strong []StrongTerm, err error) {
	m.begin(k)
	m.of = nil // until what is looked up is there
	e.reset()
	m.hashes = hashes
	m.find(e.Terms)
	if err := m.look(r, k, e); err != nil {
		return 0, nil, err
	}
	m.of = k
	known = m.add(k, e)
	return known, m.strong, nil
}

// begin makes the cache that of k, with room for a document.
func (m *Cache) begin(k *TermSums) {
	if m.of != k {
		m.of = k
		m.young.clear()
		m.old.clear()
	}
	if m.young.used >= maxCachedTerms || len(m.young.data) >= maxCachedBytes {
		m.young, m.old = m.old, m.young
		m.young.clear()
	}
	if m.young.slots == nil {
		m.young.slots = make([]slot, cacheSlots)
		m.young.data = make([]byte, recordHead) // no record is at 0
	}
}

// find sets m.found for the terms that a generation has, and m.missing to the others.
func (m *Cache) find(terms []count.TermCount) {
	m.found, m.missing = m.found[:0], m.missing[:0]
	m.touch(&m.young)
	for i, hash := range m.hashes {
		at, _ := m.young.find(hash, terms[i].Term)
		if at == 0 {
			m.missing = append(m.missing, int32(i))
		}
		m.found = append(m.found, at)
	}
	if m.old.used == 0 || len(m.missing) == 0 {
		return
	}
	m.touch(&m.old)
	m.missing = slices.DeleteFunc(m.missing, func(i int32) bool {
		m.found[i] = m.move(m.hashes[i], terms[i].Term)
		return m.found[i] != 0
	})
}

// touch goes to where a generation has the terms, or those that are missing if some are,
// twice in loops that do nothing else: so a processor waits for many places of memory
// at a time.
func (m *Cache) touch(g *generation) {
	m.slots = m.slots[:0]
	if len(m.missing) == 0 {
		for _, hash := range m.hashes {
			m.slots = append(m.slots, g.slots[hash%cacheSlots])
		}
	}
	for _, i := range m.missing {
		m.slots = append(m.slots, g.slots[m.hashes[i]%cacheSlots])
	}
	near := byte(0)
	for _, s := range m.slots {
		near |= g.data[s.place()]
	}
	m.near |= near
}

// move copies the record of a term from the old generation and returns its place, 0 if
// there is none.
func (m *Cache) move(hash uint32, term []byte) uint32 {
	from, _ := m.old.find(hash, term)
	if from == 0 {
		return 0
	}
	at := uint32(len(m.young.data))
	m.young.data = append(m.young.data, m.old.data[from:int(from)+m.old.size(from)]...)
	_, free := m.young.find(hash, term)
	m.young.insert(free, hash, at)
	return at
}

// look looks up what neither generation has.
func (m *Cache) look(r Reader, k *TermSums, e *Evidence) (err error) {
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
			m.keep(k, e.Terms, done, nil)
		}
		row := Row{X: 1, Cells: cells}
		row.sum()
		m.keep(k, e.Terms, i, &row)
		done = i + 1
		return nil
	})
	if err != nil {
		return err
	}
	for ; done < len(m.missing); done++ {
		m.keep(k, e.Terms, done, nil)
	}
	return nil
}

// keep makes a record of a missing term, of which row is nil if it is not known.
func (m *Cache) keep(k *TermSums, terms []count.TermCount, missing int, row *Row) {
	i := int(m.missing[missing])
	term := terms[i].Term
	g := &m.young
	at := len(g.data)
	g.data = append(g.data, byte(len(term)))
	g.data = append(g.data, make([]byte, recordHead-1)...)
	g.data = append(g.data, term...)
	if row != nil {
		g.data[at+1] = 1
		row.Term = term
		if k.FieldsOf != nil {
			row.Fields = k.FieldsOf(term)
		}
		if k.Strong != nil {
			if r := k.Strong(row); r != 0 {
				if k.Field(term) {
					g.data[at+1] |= 2
				}
				binary.LittleEndian.PutUint64(g.data[at+recordRatio:], math.Float64bits(r))
			}
		}
		if k.squared != nil {
			binary.LittleEndian.PutUint64(g.data[at+recordSquare:], math.Float64bits(k.squared.square(row)))
		}
		for w, sources := range k.of {
			n := 0
			for _, from := range sources {
				from.part.contribute(row, &m.memory)
				g.append(from.to, m.memory.list)
				n += len(m.memory.list)
			}
			binary.LittleEndian.PutUint16(g.data[at+recordCounts+2*w:], uint16(n))
		}
	}
	_, free := g.find(m.hashes[i], term)
	g.insert(free, m.hashes[i], uint32(at))
	m.found[i] = uint32(at)
}

// add adds up the contributions of the terms of a document, in their order, lists the
// strong ones, and returns how many are known.
func (m *Cache) add(k *TermSums, e *Evidence) (known int) {
	m.strong = m.strong[:0]
	m.sums = slices.Grow(m.sums[:0], k.sums)[:k.sums]
	clear(m.sums)
	m.totals = slices.Grow(m.totals[:0], len(k.weights))[:len(k.weights)]
	clear(m.totals)
	m.squares = 0
	e.begin()
	for i, at := range m.found {
		record := m.young.data[at:]
		if record[1] == 0 {
			continue
		}
		known++
		if r := binary.LittleEndian.Uint64(record[recordRatio:]); r != 0 {
			m.strong = append(m.strong, StrongTerm{math.Float64frombits(r), record[1]&2 != 0})
		}
		x := int(e.Terms[i].N)
		e.occur(x)
		m.squares += weightsLogSquared[x] * math.Float64frombits(binary.LittleEndian.Uint64(record[recordSquare:]))
		list := record[recordHead+int(record[0]):]
		for w, weights := range k.weights {
			weight := weights[x]
			m.totals[w] += weight
			size := contributionSize * int(binary.LittleEndian.Uint16(record[recordCounts+2*w:]))
			addContributions(m.sums, list[:size], weight)
			list = list[size:]
		}
	}
	e.listOccurs()
	return known
}

func addContributions(sums []sum, list []byte, weight float64) {
	for len(list) >= contributionSize {
		to := &sums[binary.LittleEndian.Uint16(list)]
		to.value += weight * math.Float64frombits(binary.LittleEndian.Uint64(list[2:]))
		to.weight += weight
		list = list[contributionSize:]
	}
}

// Score sets scores to those of the document that ReadTerms has read last, of which so
// many terms are known, and of e's attributes.
func (m *Cache) Score(k *TermSums, e *Evidence, scores []float64, known int) {
	copy(scores, k.stack.bias)
	memory := partMemories.Get().(*partMemory)
	defer partMemories.Put(memory)
	sums := m.sums
	for i := range k.stack.parts {
		p := &k.stack.parts[i]
		if p.attributes || known == 0 {
			p.weigh(scores, p.scores(e, k.classes, memory), known)
			continue
		}
		size := p.sums(k.classes)
		memory.room(size, k.classes*len(p.components))
		for at, sum := range sums[:size] {
			memory.sums[at], memory.n[at] = sum.value, sum.weight
		}
		sums = sums[size:]
		if p.ratios != nil {
			p.ratios.divide(memory)
		} else {
			copy(memory.scores, memory.sums)
			total := m.totals[slices.Index(k.weights, p.terms.weights())]
			if p.squared != nil {
				total = m.squares
			}
			p.terms.conclude(e, memory.scores, total)
		}
		p.weigh(scores, memory.scores, known)
	}
}
