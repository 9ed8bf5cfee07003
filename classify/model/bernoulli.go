package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// defaultBernoulliPrior is the Yes and the No of the zero Bernoulli. On 20 Newsgroups, Reuters
// R8, SpamAssassin and short messages .1 is worse, by .2 to 2 % of the answers, and .01 much the same.
const defaultBernoulliPrior = 0.02

// Bernoulli treats a document as V binary variables, one for each term of the vocabulary:
// whether the term occurs. Its number of occurrences does not matter, and absent terms
// count too. The log-likelihood in class c is
//
//	Σ_{t in d} log p_ct + Σ_{t not in d} log(1 - p_ct),  p_ct = (DF_ct + β₁) / (D_c + β₁ + β₀)
//
// with DF_ct the documents of class c that have term t and D_c all documents of c. p_ct is the posterior
// mean under a Beta(β₁, β₀) prior. It is computed as
//
//	B_c + Σ_{t in d} [log p_ct - log(1 - p_ct)]
//	B_c = Σ_f H_c(f) log(1 - (f+β₁)/(D_c+β₁+β₀)) + (V - V_c) log(1 - β₁/(D_c+β₁+β₀))
//
// where H_c(f) of the V_c terms of the class occur in exactly f documents, so the sum
// over the vocabulary runs over distinct frequencies. Without documents p_ct = β₁/(β₁+β₀).
type Bernoulli struct {
	// Yes is β₁ and No is β₀, the prior pseudo-documents with and without each term, 0 < β ≤
	// 1e9. Zero means .02.
	Yes, No float64
}

// Name returns "bernoulli" and the parameters, as in "bernoulli:yes=0.1,no=0.1".
func (m Bernoulli) Name() string {
	return modelName("bernoulli", shownAmount("yes", m.Yes, defaultBernoulliPrior), shownAmount("no", m.No, defaultBernoulliPrior))
}

func (m Bernoulli) check() error {
	if err := checkAmount("yes", cmp.Or(m.Yes, defaultBernoulliPrior)); err != nil {
		return err
	}
	return checkAmount("no", cmp.Or(m.No, defaultBernoulliPrior))
}

// Prepare computes B_c for each class, in time proportional to the distinct
// document frequencies.
func (m Bernoulli) Prepare(t Totals) Scorer {
	s := &bernoulliScorer{
		yes: smoothedLogsOf(cmp.Or(m.Yes, defaultBernoulliPrior)), no: smoothedLogsOf(cmp.Or(m.No, defaultBernoulliPrior)),
		docs: make([]uint64, len(t.Classes)), absent: make([]float64, len(t.Classes)), lacks: make([]float64, len(t.Classes)),
		vocabulary: t.Vocabulary,
	}
	for c, class := range t.Classes {
		s.prepare(c, class, t.Vocabulary)
	}
	return s.summed()
}

// bernoulliScorer sums contributions: what a class has by the term, less what it has by one that it lacks.
type bernoulliScorer struct {
	yes, no    *smoothedLogs
	docs       []uint64  // by class
	absent     []float64 // by class: B_c
	lacks      []float64 // by class: log p - log(1-p) for DF = 0
	vocabulary uint64
}

func (s *bernoulliScorer) summed() *summed {
	return &summed{contributor: s, weights: &weightsOne, lacks: s.lacks, absent: func(c int, _ *Evidence) float64 { return s.absent[c] }}
}

// prepare computes the constants of class c.
func (s *bernoulliScorer) prepare(c int, class *count.Class, vocabulary uint64) {
	s.docs[c], s.absent[c] = class.Docs, 0
	if lacking := vocabulary - min(class.Terms, vocabulary); lacking > 0 {
		s.absent[c] = float64(lacking) * s.absence(c, 0)
	}
	for _, h := range class.Frequencies {
		s.absent[c] += float64(h.Count) * s.absence(c, h.N)
	}
	s.lacks[c] = math.Log(s.yes.alpha) - math.Log(float64(class.Docs)+s.no.alpha)
}

// absence returns log(1 - p) of a term with DF = f.
func (s *bernoulliScorer) absence(c int, f uint64) float64 {
	docs, yes, no := float64(s.docs[c]), s.yes.alpha, s.no.alpha
	if p := (float64(f) + yes) / (docs + yes + no); p < 0.5 {
		return math.Log1p(-p)
	}
	// Close to p = 1 the digits of 1 - p are in D_c - f, no longer in p.
	return math.Log((float64(s.docs[c]-f) + no) / (docs + yes + no))
}

// Without implements incremental: the other classes change only by the terms that the
// vocabulary has lost.
func (s *bernoulliScorer) Without(left Totals, class int) Scorer {
	w := *s
	w.docs, w.absent, w.lacks, w.vocabulary = slices.Clone(s.docs), slices.Clone(s.absent), slices.Clone(s.lacks), left.Vocabulary
	lost := float64(s.vocabulary - left.Vocabulary)
	for c := range w.absent {
		if c == class {
			w.prepare(c, left.Classes[c], left.Vocabulary)
		} else if lost > 0 {
			w.absent[c] -= lost * math.Log1p(-s.yes.alpha/(float64(w.docs[c])+s.yes.alpha+s.no.alpha))
		}
	}
	return w.summed()
}

func (s *bernoulliScorer) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		c := cell.Class
		list[k] = contribution{c, s.yes.quick(cell.DF) - s.no.quick(s.docs[c]-cell.DF) - s.lacks[c]}
	}
}
