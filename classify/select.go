package classify

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Selection chooses the terms used for classifying. It changes no counts: other terms are
// treated nearly as if they had never been learned; see MinDF and Best. The zero Selection
// is all terms, and costs nothing.
//
// The sums over the chosen terms, a class's tokens and document frequencies, come from a
// scan of all rows, at the first question and again when more than a hundredth of all
// documents, or half of a class, has been learned, moved or forgotten, or a class has come
// or gone. In between a class's sums are assumed to grow like its totals. The first
// question after such a change waits for the scan, and so do others meanwhile, unless
// their model is prepared for the same counts: with 158,936 terms for 15 to 110 ms, with
// the DCM 60 to 230 ms. (Using the totals of all terms in place of these sums costs 5
// points at 5,000 terms with the multinomial, 8 with the Bernoulli model.)
//
// The lengths of documents without the other terms are not known. For the DCM every
// document of a class is assumed to lose the same share of its tokens, and it is fitted
// again. Lengths in W stay those of whole documents.
//
// Naive Bayes does not need a selection to be accurate. On 20 Newsgroups (by
// date) the multinomial with all terms gives .819 correct, and with the best
// 5,000, 20,000 and 50,000 .783, .803, .817 by MI, .759, .797, .814 by MITokens
// and .782, .810, .814 by Chi2; MinDF 2 gives .818. The DCM goes from .826 to
// .828, .828 and .830 with 50,000, and .830 by MinDF 2.
type Selection struct {
	// MinDF is the document frequency, in all classes together, that a term
	// must have. 0 and 1 are all terms.
	MinDF uint64

	// Best is the number of terms to choose, those with the highest By among the terms that
	// pass MinDF, ties in byte order. 0 is all of them. Between two scans terms are measured
	// with the totals of the first, so there may be a few more or fewer.
	Best int

	// By is the measure for Best.
	By term.Measure
}

// everything reports whether all terms are chosen.
func (s Selection) everything() bool { return s.MinDF <= 1 && s.Best == 0 }

// check returns an error for a selection that is out of range.
func (s Selection) check() error {
	if s.Best < 0 {
		return fmt.Errorf("selection of the best %d terms: want 1 or more, or 0 for all", s.Best)
	}
	if !slices.Contains(term.Measures(), s.By) {
		return fmt.Errorf("selection by %v: there is no such measure", s.By)
	}
	return nil
}

// choice is a selection with the results of a scan of all rows. It is immutable once made.
type choice struct {
	Selection
	then    model.Totals // totals at the scan
	measure func([]count.Cell) float64
	last    ranked         // the last of the best
	kept    []*count.Class // by class: Tokens, Weight, Terms and Frequencies of the chosen terms
	terms   uint64         // chosen
	fits    []model.Fit    // fits of the DCM to the chosen terms, if a scorer reads levels
}

// stale reports whether the counts have changed too much for k.
func (k *choice) stale(t model.Totals) bool {
	if len(t.Classes) != len(k.then.Classes) {
		return true
	}
	all := uint64(0)
	for i, class := range t.Classes {
		then := k.then.Classes[i]
		changed := max(class.Docs, then.Docs) - min(class.Docs, then.Docs)
		if class.ID != then.ID || changed*2 > then.Docs {
			return true
		}
		all += changed
	}
	return all*100 > k.then.Documents
}

// ranked is a term with its measure.
type ranked struct {
	value float64
	term  string
}

// before reports whether r ranks before a term with this value.
func (r *ranked) before(value float64, term []byte) bool {
	return r.value > value || r.value == value && r.term < string(term)
}

// worstFirst is a heap with the worst of the terms on top.
type worstFirst []ranked

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return h[j].before(h[i].value, []byte(h[i].term)) }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(x any)        { *h = append(*h, x.(ranked)) }
func (h *worstFirst) Pop() any          { panic("classify: nothing is taken from the best terms") }

// rank finds the last of the best terms.
func (k *choice) rank(ctx context.Context, s *store.Snapshot) error {
	k.last.value = math.Inf(-1)
	if k.Best == 0 {
		return nil
	}
	var best worstFirst
	err := s.Scan(false, func(name []byte, cells []count.Cell) error {
		if count.OfChannel(name) || term.Frequency(cells) < k.MinDF {
			return nil
		}
		value := k.measure(cells)
		switch {
		case len(best) < k.Best:
			heap.Push(&best, ranked{value, string(name)})
		case !best[0].before(value, name):
			best[0] = ranked{value, string(name)}
			heap.Fix(&best, 0)
		}
		return ctx.Err()
	})
	if len(best) == k.Best {
		k.last = best[0]
	}
	return err
}

// has reports whether a term with these cells is chosen. If more documents of a class have
// the term than it had documents at the scan, the term is only rated higher.
func (k *choice) has(name []byte, cells []count.Cell) bool {
	if count.OfChannel(name) || term.Frequency(cells) < k.MinDF {
		return false
	}
	if math.IsInf(k.last.value, -1) {
		return true
	}
	return !k.last.before(k.measure(cells), name)
}

// keep returns has, nil without a choice.
func (k *choice) keep() func(term []byte, cells []count.Cell) bool {
	if k == nil {
		return nil
	}
	return k.has
}

// add sums the rows of the chosen terms.
func (k *choice) add(ctx context.Context, s *store.Snapshot, levels bool) error {
	k.kept = make([]*count.Class, len(k.then.Classes))
	frequencies := make([]map[uint64]uint64, len(k.kept))
	histograms := make([]model.Histograms, len(k.kept))
	for c := range k.kept {
		k.kept[c], frequencies[c] = new(count.Class), make(map[uint64]uint64)
	}
	err := s.Scan(levels, func(name []byte, cells []count.Cell) error {
		if !k.has(name, cells) {
			return nil
		}
		k.terms++
		for _, cell := range cells {
			class := k.kept[cell.Class]
			class.Tokens += cell.TF
			class.Weight += cell.W
			class.Terms++
			frequencies[cell.Class][cell.DF]++
			if levels {
				histograms[cell.Class].Add(cell)
			}
		}
		return ctx.Err()
	})
	for c, h := range frequencies {
		for n, terms := range h {
			k.kept[c].Frequencies = append(k.kept[c].Frequencies, count.Pair{N: n, Count: terms})
		}
		slices.SortFunc(k.kept[c].Frequencies, func(x, y count.Pair) int { return cmp.Compare(x.N, y.N) })
	}
	if levels && err == nil {
		k.fit(histograms)
	}
	return err
}

// fit fits the DCM to the chosen terms.
func (k *choice) fit(rows []model.Histograms) {
	t := k.totals(k.then)
	k.fits = make([]model.Fit, len(rows))
	for c, class := range t.Classes {
		if class.Docs >= model.MinDCMDocuments {
			k.fits[c] = model.FitDCM(class, &rows[c], t.Vocabulary, model.DefaultDCMEpsilon, model.Fit{})
		}
	}
}

// fitted returns m with the fits of the choice in place of the database's, which are of
// all terms.
func (k *choice) fitted(m Model) Model {
	switch m := m.(type) {
	case model.Stack:
		m.Components = slices.Clone(m.Components)
		for i := range m.Components {
			m.Components[i].Model = model.WithFits(m.Components[i].Model, k.fits)
		}
		return m
	case model.EventModel:
		return model.WithFits(m, k.fits)
	}
	return m
}

// totals returns t as if only the chosen terms had been learned.
func (k *choice) totals(t model.Totals) model.Totals {
	classes := make([]*count.Class, len(t.Classes))
	for c, now := range t.Classes {
		then, kept, class := k.then.Classes[c], k.kept[c], *now
		class.Dropped, class.DroppedWeight = 0, 0
		class.Terms = kept.Terms
		class.Tokens = share(kept.Tokens, now.Tokens, then.Tokens)
		class.Weight = share(kept.Weight, now.Weight, then.Weight)
		class.Lengths = shares(now.Lengths, kept.Tokens, then.Tokens, 0)
		class.Frequencies = shares(kept.Frequencies, now.Docs, then.Docs, 1)
		classes[c] = &class
	}
	return model.Totals{Classes: classes, Documents: t.Documents, Vocabulary: k.terms, Attributes: t.Attributes}
}

// share returns n × part / whole, rounded; it is n if whole is 0.
func share(n, part, whole uint64) uint64 {
	if whole == 0 {
		return n
	}
	return uint64(math.Round(float64(n) * (float64(part) / float64(whole))))
}

// shares returns the histogram with each N, in ascending order, replaced by its
// share, which is least or more.
func shares(pairs []count.Pair, part, whole, least uint64) []count.Pair {
	if part == whole {
		return pairs
	}
	var list []count.Pair
	for _, p := range pairs {
		n := max(share(p.N, part, whole), least)
		if last := len(list) - 1; last >= 0 && list[last].N == n {
			list[last].Count += p.Count
		} else {
			list = append(list, count.Pair{N: n, Count: p.Count})
		}
	}
	return list
}
