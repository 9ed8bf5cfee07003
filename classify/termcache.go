package classify

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// termCache keeps what the terms of the last documents contribute to scores, so that
// what documents have in common is looked up and computed once. It holds two
// generations. When the young one is full it becomes the old one, and what is asked
// for again moves over from there; the rest goes.
type termCache struct {
	of         *prepared
	young, old generation

	hashes  []uint32 // by term of the document
	found   []uint32 // by term of the document: its record in young
	missing []int32  // terms of the document that no generation has
	asked   []count.TermCount
	memory  contributions
	slots   []slot // memory of touch
	near    byte   // keeps the compiler from leaving out touch

	sums   []sum
	totals []float64 // by weights: of all terms
}

// sum is of weighed contributions and of their weights.
type sum struct{ value, weight float64 }

// score sets q.scores to the scores of a document of up to maxCachedDocument terms.
func (m *termCache) score(s *store.Snapshot, p *prepared, q *question, doc *Document) error {
	m.begin(p)
	m.of = nil // until what is looked up is there
	e := &q.evidence
	e.reset()
	e.choice = p.choice
	e.terms = appendTerms(e.terms[:0], doc.Bag)
	m.find(doc.Bag)
	if err := m.look(s, p, doc.Bag, e); err != nil {
		return err
	}
	m.of = p
	if err := e.lookAttributes(s, p.attributes, p.say, doc.Attributes); err != nil {
		return err
	}
	q.against = filter.Evidence{}
	known := m.add(p.contributing, e, &q.against)
	q.scored(p, known, func(scores []float64) { m.conclude(p.contributing, e, scores, known) })
	return nil
}

// begin makes the cache that of p, with room for a document.
func (m *termCache) begin(p *prepared) {
	if m.of != p {
		m.of = p
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
func (m *termCache) find(bag *tokenize.Bag) {
	m.hashes, m.found, m.missing = m.hashes[:0], m.found[:0], m.missing[:0]
	for i := range bag.Len() {
		m.hashes = append(m.hashes, bag.Hash(i))
	}
	m.touch(&m.young)
	for i, hash := range m.hashes {
		term, _ := bag.At(i)
		at, _ := m.young.find(hash, term)
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
		term, _ := bag.At(int(i))
		m.found[i] = m.move(m.hashes[i], term)
		return m.found[i] != 0
	})
}

// touch goes to where a generation has the terms, or those that are missing if some are,
// twice in loops that do nothing else: so a processor waits for many places of memory
// at a time.
func (m *termCache) touch(g *generation) {
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
func (m *termCache) move(hash uint32, term []byte) uint32 {
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
func (m *termCache) look(s *store.Snapshot, p *prepared, bag *tokenize.Bag, e *Evidence) (err error) {
	if len(m.missing) == 0 {
		return nil
	}
	m.asked = m.asked[:0]
	for _, i := range m.missing {
		m.asked = append(m.asked, e.terms[i])
	}
	done := 0
	e.cells, err = s.AppendRows(e.cells, m.asked, false, func(i int, cells []count.Cell) error {
		if e.choice != nil && !e.choice.has(m.asked[i].Term, cells) {
			return nil
		}
		for ; done < i; done++ {
			m.keep(p, bag, done, nil)
		}
		row := Row{X: 1, Cells: cells}
		row.sum()
		m.keep(p, bag, i, &row)
		done = i + 1
		return nil
	})
	if err != nil {
		return err
	}
	for ; done < len(m.missing); done++ {
		m.keep(p, bag, done, nil)
	}
	return nil
}

// keep makes a record of a missing term, of which row is nil if it has no say.
func (m *termCache) keep(p *prepared, bag *tokenize.Bag, missing int, row *Row) {
	i := int(m.missing[missing])
	term, _ := bag.At(i)
	g := &m.young
	at := len(g.data)
	g.data = append(g.data, byte(len(term)))
	g.data = append(g.data, make([]byte, recordHead-1)...)
	g.data = append(g.data, term...)
	if row != nil {
		g.data[at+1] = 1
		if r := p.against.ratio(row); r != 0 {
			if tokenize.OfField(term) {
				g.data[at+1] |= 2
			}
			binary.LittleEndian.PutUint64(g.data[at+recordRatio:], math.Float64bits(r))
		}
		k := p.contributing
		for w, sources := range k.of {
			n := 0
			for _, from := range sources {
				from.part.contribute(row, k.classes, &m.memory)
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

// add adds up the contributions of the terms of a document, in their order, and what
// they say against an answer, and returns how many of these have a say.
func (m *termCache) add(k *contributing, e *Evidence, against *filter.Evidence) (known int) {
	m.sums = slices.Grow(m.sums[:0], k.sums)[:k.sums]
	clear(m.sums)
	m.totals = slices.Grow(m.totals[:0], len(k.weights))[:len(k.weights)]
	clear(m.totals)
	e.begin()
	for i, at := range m.found {
		record := m.young.data[at:]
		if record[1] == 0 {
			continue
		}
		known++
		if r := binary.LittleEndian.Uint64(record[recordRatio:]); r != 0 {
			against.Add(math.Float64frombits(r), record[1]&2 != 0)
		}
		x := int(e.terms[i].N)
		e.occur(x)
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

// conclude turns the sums into the scores of a document of which so many terms are
// known.
func (m *termCache) conclude(k *contributing, e *Evidence, scores []float64, known int) {
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
		size := k.classes * len(p.components)
		memory.room(size)
		for at, sum := range sums[:size] {
			memory.sums[at], memory.n[at] = sum.value, sum.weight
		}
		sums = sums[size:]
		if p.ratios != nil {
			p.ratios.divide(memory.sums, memory.n)
		} else {
			s := p.scorer.(contributor)
			s.conclude(e, memory.sums, m.totals[slices.Index(k.weights, s.weights())])
		}
		p.weigh(scores, memory.sums, known)
	}
}
