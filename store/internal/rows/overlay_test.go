package rows

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// logged is a step of a record, as the log keeps it.
type logged struct {
	Step
	seq uint64
}

// TestOverlay compares an overlay with a log that is summed anew for every question: readers
// of any position see what was there when they began, whatever is added and merged
// meanwhile.
func TestOverlay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := overlayModel{o: NewOverlay(), readers: map[uint64]int{}}
		t.Repeat(map[string]func(*rapid.T){
			"commit": m.commit,
			"merge":  m.merge,
			"purge":  m.purge,
			"begin":  func(*rapid.T) { m.readers[m.seq]++ },
			"end":    m.end,
			"":       m.mustAgree,
		})
	})
}

type overlayModel struct {
	o       *Overlay
	log     []logged
	seq     uint64
	merges  []merge // of one table from 0 up to bound, and one from there on
	readers map[uint64]int
}

// merge is of the table with the lower half of all hashes, or the other, at a position.
type merge struct {
	upper bool
	seq   uint64
}

// hashes are few, so that terms share them.
func hashOf(n int) uint64 { return uint64(n%3) << 62 }

func upper(hash uint64) bool { return hash>>63 == 1 }

// from is up to where the table of hash holds the log for a reader at position seq.
func (m *overlayModel) from(hash, seq uint64) (from uint64) {
	for _, g := range m.merges {
		if g.upper == upper(hash) && g.seq <= seq {
			from = g.seq
		}
	}
	return from
}

func (m *overlayModel) oldest() uint64 {
	oldest := m.seq
	for seq := range m.readers {
		oldest = min(oldest, seq)
	}
	return oldest
}

// commit adds some records.
func (m *overlayModel) commit(t *rapid.T) {
	base, oldest := m.seq, m.oldest()
	for range rapid.IntRange(1, 9).Draw(t, "records") {
		steps := m.record(t)
		m.seq++
		at := At{Seq: m.seq, Committed: base, Oldest: oldest}
		for i := range steps {
			at.From = m.from(steps[i].Hash, base)
			m.o.Add(&steps[i], at)
			m.log = append(m.log, logged{steps[i], m.seq})
		}
	}
}

func (m *overlayModel) record(t *rapid.T) (steps []Step) {
	class := rapid.Uint32Range(1, 4).Draw(t, "class")
	sign := rapid.SampledFrom([]int64{1, 1, -1}).Draw(t, "sign")
	for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, 7), 1, 4, rapid.ID).Draw(t, "terms") {
		s := Step{Hash: hashOf(n), Term: fmt.Append(nil, "term", n), Class: class, Sign: sign, N: rapid.Uint8Range(1, 4).Draw(t, "n"), W: uint64(n) + 1}
		docs, all := m.documents(string(s.Term), class)
		m.o.Documents(&s) // finds the entry
		s.Docs, s.All = docs+sign, all+sign
		steps = append(steps, s)
	}
	return steps
}

// documents sums the whole log, as a look into the tables would.
func (m *overlayModel) documents(term string, class uint32) (docs, all int64) {
	for _, l := range m.log {
		if string(l.Term) == term {
			all += l.Sign
			if l.Class == class {
				docs += l.Sign
			}
		}
	}
	return docs, all
}

// merge brings a table up to date, in a transaction with a record.
func (m *overlayModel) merge(t *rapid.T) {
	before := m.seq
	if m.commit(t); m.seq == before {
		return
	}
	m.merges = append(m.merges, merge{rapid.Bool().Draw(t, "upper"), m.seq})
}

// purge drops what a table has that was merged before all readers.
func (m *overlayModel) purge(t *rapid.T) {
	if len(m.merges) == 0 {
		t.Skip("nothing was merged")
	}
	g := rapid.SampledFrom(m.merges).Draw(t, "merge")
	if m.oldest() < g.seq {
		t.Skip("somebody reads what was before")
	}
	low, high := uint64(0), uint64(1)<<63-1
	if g.upper {
		low, high = high, 1<<64-1
	}
	m.o.Purge(low, high, g.seq)
}

func (m *overlayModel) end(t *rapid.T) {
	if len(m.readers) == 0 {
		t.Skip("nobody reads")
	}
	seq := rapid.SampledFrom(slices.Sorted(maps.Keys(m.readers))).Draw(t, "reader")
	if m.readers[seq]--; m.readers[seq] == 0 {
		delete(m.readers, seq)
	}
}

func (m *overlayModel) mustAgree(t *rapid.T) {
	for _, seq := range append(slices.Sorted(maps.Keys(m.readers)), m.seq) {
		terms := 0
		for n := range 8 {
			term, hash := fmt.Sprint("term", n), hashOf(n)
			from := m.from(hash, seq)
			want := m.sum(term, from, seq)
			got := sumText(m.o.Get(nil, hash, []byte(term), from, seq))
			if got != want {
				t.Fatalf("%s for a reader at %d: %s, want %s", term, seq, got, want)
			}
			if len(m.o.Get(nil, hash, []byte(term), from, seq)) > 0 {
				terms++
			}
		}
		for _, high := range []bool{false, true} {
			low, to := uint64(0), uint64(1)<<63-1
			if high {
				low, to = to, 1<<64-1
			}
			for _, c := range m.o.Between(low, to, m.from(to, seq), seq) {
				terms--
				if got, want := sumText(c.Changes), m.sum(string(c.Term), m.from(c.Hash, seq), seq); got != want {
					t.Fatalf("%s among all for a reader at %d: %s, want %s", c.Term, seq, got, want)
				}
			}
		}
		if terms != 0 {
			t.Fatalf("%d terms are missing among all for a reader at %d", terms, seq)
		}
	}
	for n := range 8 {
		for class := uint32(1); class <= 4; class++ {
			s := Step{Hash: hashOf(n), Term: fmt.Append(nil, "term", n), Class: class}
			docs, all := m.documents(string(s.Term), class)
			if m.o.Documents(&s) && (s.Docs != docs || s.All != all) {
				t.Fatalf("%s of class %d: %d of %d documents, want %d of %d", s.Term, class, s.Docs, s.All, docs, all)
			}
		}
	}
}

// sum is what the log says of a term between two positions.
func (m *overlayModel) sum(term string, from, seq uint64) string {
	changes := map[uint32]*Change{}
	for _, l := range m.log {
		if string(l.Term) != term || l.seq <= from || l.seq > seq {
			continue
		}
		c := changes[l.Class]
		if c == nil {
			c = &Change{Class: l.Class, More: make([]int64, 8)}
			changes[l.Class] = c
		}
		c.Docs += l.Sign
		c.W += l.Sign * int64(l.W)
		for j := range l.N - 1 {
			c.More[j] += l.Sign
		}
	}
	var list []Change
	for _, c := range changes {
		list = append(list, *c)
	}
	return sumText(list)
}

func sumText(list []Change) string {
	slices.SortFunc(list, func(a, b Change) int { return int(a.Class) - int(b.Class) })
	text := ""
	for _, c := range list {
		more := slices.Clone(c.More)
		for len(more) > 0 && more[len(more)-1] == 0 {
			more = more[:len(more)-1]
		}
		text += fmt.Sprintf(" %d: %d %d %v", c.Class, c.Docs, c.W, more)
	}
	return text
}

// Sums that readers have kept go with the first change after the last of them has ended.
func TestSumsGoWithTheirReaders(t *testing.T) {
	o := NewOverlay()
	const kept = 10
	for seq := uint64(1); seq <= kept+1; seq++ {
		oldest := uint64(0)
		if seq > kept {
			oldest = kept
		}
		o.Add(&Step{Hash: 1, Term: []byte("a"), Class: 1, Sign: 1, N: 1, W: 1}, At{Seq: seq, Committed: seq - 1, Oldest: oldest})
		n := uint64(0)
		for v := o.shard(1).entries[0].before; v != nil && n <= kept; v = v.before {
			n++
		}
		if want := seq - 1; seq <= kept && n != want || seq > kept && n != 1 {
			t.Errorf("after record %d: %d earlier sums", seq, n)
		}
	}
}
