package overview

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// maxLooked is the largest number of terms looked up at a time.
const maxLooked = 50

// Word returns the counts of the terms of a text, each once, in the order of the text. If the
// text is itself the name of a term, such as "from:example.org", that term comes first.
func (d *Desk) Word(ctx context.Context, user, text string) (list []backend.Term, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	err = d.read(ctx, user, func(c *classify.Classifier) error {
		looked := []count.TermCount{{Term: []byte(text), N: 1}}
		bag := c.Document([]byte(text)).Bag
		for i := range min(bag.Len(), maxLooked) {
			if t, _ := bag.At(i); string(t) != text {
				looked = append(looked, count.TermCount{Term: slices.Clone(t), N: 1})
			}
		}
		return c.Store().View(func(s *store.Snapshot) error {
			m := newMeter(s)
			rows := make([]backend.Term, len(looked))
			for i := range looked {
				rows[i] = m.term(looked[i].Term, nil)
			}
			err := s.Rows(looked, false, func(i int, cells []count.Cell) error {
				rows[i] = m.term(looked[i].Term, cells)
				return nil
			})
			if len(rows) > 1 && slices.Max(rows[0].Having) == 0 && !strings.Contains(text, ":") {
				rows = rows[1:] // several words, or one in another form
			}
			list = rows
			return err
		})
	})
	return list, err
}

// meter measures how informative terms are.
type meter struct {
	names []string
	docs  []uint64
	tells func([]count.Cell) float64
}

func newMeter(s *store.Snapshot) *meter {
	m := &meter{tells: term.Information(s.Classes())}
	for _, c := range s.Classes() {
		m.names, m.docs = append(m.names, stated(c.Name)), append(m.docs, c.Docs)
	}
	return m
}

// term returns the counts of a term with these cells.
func (m *meter) term(name []byte, cells []count.Cell) backend.Term {
	t := backend.Term{Term: string(name), Classes: m.names, Documents: m.docs, Having: make([]uint64, max(1, len(m.names)))}
	for _, c := range cells {
		t.Having[c.Class] = c.DF
	}
	if cells != nil {
		t.Bits = m.tells(cells) / math.Ln2
	}
	return t
}

// Telling returns the terms more frequent in a class than in the others that are most informative
// about it, by the mutual information between having the term and being of the class.
func (d *Desk) Telling(ctx context.Context, user, class string, limit int) ([]backend.Term, error) {
	var best []backend.Term
	err := d.view(ctx, user, func(s *store.Snapshot) error {
		m, two := newMeter(s), newAgainst(s.Classes(), class)
		if two.classes[0].Docs == 0 {
			return nil
		}
		least := 0.0
		cut := func() {
			slices.SortFunc(best, func(a, b backend.Term) int { return cmp.Or(cmp.Compare(b.Bits, a.Bits), cmp.Compare(a.Term, b.Term)) })
			if best = best[:min(limit, len(best))]; len(best) == limit {
				least = best[limit-1].Bits
			}
		}
		err := s.Scan(false, func(t []byte, cells []count.Cell) error {
			if bits := two.tells(cells) / math.Ln2; bits > 0 && bits >= least {
				term := m.term(t, cells)
				term.Bits = bits
				if best = append(best, term); len(best) >= 4*limit {
					cut()
				}
			}
			return ctx.Err()
		})
		cut()
		return err
	})
	return best, err
}

// against compares one class, or all sets with a tag, with all others together.
type against struct {
	in      []bool         // which are of it
	classes []*count.Class // the class, and the others
	measure func([]count.Cell) float64
}

func newAgainst(classes []*count.Class, class string) *against {
	a := &against{in: make([]bool, len(classes)), classes: []*count.Class{{}, {}}}
	for i, c := range classes {
		a.in[i] = slices.Contains(namesOf(c.Name), class)
		side := a.classes[1]
		if a.in[i] {
			side = a.classes[0]
		}
		side.Docs += c.Docs
		side.Tokens += c.Tokens
	}
	a.measure = term.Information(a.classes)
	return a
}

// tells returns the mutual information between having a term with these cells and being
// of the class, in nats; 0 if a greater share of the others has the term.
func (a *against) tells(cells []count.Cell) float64 {
	both := [2]count.Cell{{Class: 0}, {Class: 1}}
	for _, c := range cells {
		side := &both[1]
		if a.in[c.Class] {
			side = &both[0]
		}
		side.DF += c.DF
		side.TF += c.TF
	}
	if float64(both[0].DF)*float64(a.classes[1].Docs) <= float64(both[1].DF)*float64(a.classes[0].Docs) {
		return 0
	}
	return a.measure(both[:])
}
