package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// defaultBernoulliPrior is the Yes and the No of the zero Bernoulli. Measured at
// .01, .02 and .1 they give .774, .769 and .748 correct on 20 Newsgroups (by
// date), .880, .881 and .865 on Reuters R8, .977, .977 and .974 on the
// SpamAssassin corpus, and .9882, .9891 and .9874 on short messages (the SMS
// Spam Collection; the last two by five folds).
const defaultBernoulliPrior = 0.02

// Bernoulli treats a document as V binary variables, one for each term of the vocabulary:
// whether the term occurs. Its number of occurrences does not matter, and absent terms
// count too. The log-likelihood in class c is
//
//	Σ_{t in d} log p_ct + Σ_{t not in d} log(1 - p_ct),  p_ct = (DF_ct + β₁) / (D_c + β₁ + β₀)
//
// with DF_ct the documents of class c that have term t and D_c all documents of
// c. p_ct is the posterior mean under a Beta(β₁, β₀) prior; Estimator has
// others, which subtract from β₁ and β₀. It is computed as
//
//	B_c + Σ_{t in d} [log p_ct - log(1 - p_ct)]
//	B_c = Σ_f H_c(f) log(1 - (f+β₁)/(D_c+β₁+β₀)) + (V - V_c) log(1 - β₁/(D_c+β₁+β₀))
//
// where H_c(f) of the V_c terms of the class occur in exactly f documents, so the sum
// over the vocabulary runs over distinct frequencies.
//
// Special cases:
//
//	D_c = 0: p_ct = β₁/(β₁+β₀), 1/2 if both are 0
//	a document with a term of p_ct = 0, or without one of p_ct = 1: -Inf
type Bernoulli struct {
	// Yes is β₁ and No is β₀, the prior pseudo-documents with and without each term, 0 < β ≤
	// 1e9. Zero means .02. They must not be set if Estimator is MaximumLikelihood.
	Yes, No float64

	// Estimator is the estimator of p. PosteriorMode needs Yes and No of at least 1.
	Estimator Estimator
}

// Levels returns false: the model reads only document frequencies.
func (Bernoulli) Levels() bool { return false }

// Name returns "bernoulli" and the parameters, as in "bernoulli:yes=0.1,no=0.1"
// or "bernoulli:ml".
func (m Bernoulli) Name() string {
	return modelName("bernoulli", m.Estimator.shown(PosteriorMean),
		shownAmount("yes", m.Yes, defaultBernoulliPrior), shownAmount("no", m.No, defaultBernoulliPrior))
}

func (m Bernoulli) check() error {
	if err := m.Estimator.check("yes", m.Yes, defaultBernoulliPrior); err != nil {
		return err
	}
	return m.Estimator.check("no", m.No, defaultBernoulliPrior)
}

// Prepare computes B_c for each class, in time proportional to the distinct
// document frequencies. It panics if the parameters are out of range.
func (m Bernoulli) Prepare(t Totals) Scorer {
	must(m.check())
	s := &bernoulliScorer{
		yes:        smoothedLogsOf(m.Estimator.added(cmp.Or(m.Yes, defaultBernoulliPrior))),
		no:         smoothedLogsOf(m.Estimator.added(cmp.Or(m.No, defaultBernoulliPrior))),
		classes:    make([]bernoulliClass, len(t.Classes)),
		vocabulary: t.Vocabulary,
	}
	for c, class := range t.Classes {
		s.classes[c] = newBernoulliClass(class, t.Vocabulary, s.yes.alpha, s.no.alpha, new(absenceLogs))
	}
	if s.no.alpha == 0 || s.yes.alpha == 0 {
		return additive{of: s}
	}
	return &quickBernoulli{additive{of: s}, s, make([]absenceLogs, len(s.classes))}
}

// bernoulliClass holds the constants of a class for scoring.
type bernoulliClass struct {
	docs   uint64
	absent float64 // B_c over the terms with p < 1
	lacks  float64 // log p - log(1-p) for DF = 0
	sure   uint64  // terms with p = 1
}

// absenceLogs caches log(1 - p) by document frequency for one number of documents; 1
// means not computed yet. Frequencies from maxAbsenceLogs on are rare, and computed each
// time.
type absenceLogs []float64

const maxAbsenceLogs = 1 << 10

func newBernoulliClass(class *count.Class, vocabulary uint64, yes, no float64, logs *absenceLogs) bernoulliClass {
	if float64(class.Docs)+yes+no == 0 {
		return bernoulliClass{absent: -float64(vocabulary) * math.Ln2}
	}
	k := bernoulliClass{docs: class.Docs}
	k.absences(0, vocabulary-min(class.Terms, vocabulary), yes, no, logs)
	for _, h := range class.Frequencies {
		k.absences(h.N, h.Count, yes, no, logs)
	}
	if no > 0 || class.Docs > 0 {
		k.lacks = math.Log(yes) - math.Log(float64(class.Docs)+no)
	}
	return k
}

// absences adds to B_c the contribution of absent terms with DF = f.
func (k *bernoulliClass) absences(f, terms uint64, yes, no float64, logs *absenceLogs) {
	switch {
	case terms == 0:
	case no == 0 && f == k.docs:
		k.sure += terms
	case f < maxAbsenceLogs:
		for uint64(len(*logs)) <= f {
			*logs = append(*logs, 1)
		}
		if (*logs)[f] > 0 {
			(*logs)[f] = k.absence(f, yes, no)
		}
		k.absent += float64(terms) * (*logs)[f]
	default:
		k.absent += float64(terms) * k.absence(f, yes, no)
	}
}

// absence returns log(1 - p) of a term with DF = f.
func (k *bernoulliClass) absence(f uint64, yes, no float64) float64 {
	docs := float64(k.docs)
	if p := (float64(f) + yes) / (docs + yes + no); p < 0.5 {
		return math.Log1p(-p)
	}
	// Close to p = 1 the digits of 1 - p are in D_c - f, no longer in p.
	return math.Log((float64(k.docs-f) + no) / (docs + yes + no))
}

type bernoulliScorer struct {
	yes, no    *smoothedLogs
	classes    []bernoulliClass
	vocabulary uint64
}

// base returns B_c, or -Inf if the document lacks one of the sure terms.
func (s *bernoulliScorer) base(c int, e *Evidence) float64 {
	k := &s.classes[c]
	if k.sure > 0 && k.sureOf(c, e) < k.sure {
		return math.Inf(-1)
	}
	return k.absent
}

// sureOf returns how many of the terms with p = 1 the document has.
func (k *bernoulliClass) sureOf(c int, e *Evidence) uint64 {
	if k.docs == 0 {
		return uint64(len(e.Rows)) // DF = D_c = 0 for all terms
	}
	var n uint64
	for i := range e.Rows {
		for _, cell := range e.Rows[i].Cells {
			if cell.Class == c && cell.DF == k.docs {
				n++
			}
		}
	}
	return n
}

func (s *bernoulliScorer) missing(c, _ int) float64 { return s.classes[c].lacks }

func (s *bernoulliScorer) term(_ *Row, cell *count.Cell) float64 {
	absent := s.no.at(s.classes[cell.Class].docs - cell.DF)
	if math.IsInf(absent, -1) {
		return 0 // log p = 0, and B_c does not include the term
	}
	return s.yes.at(cell.DF) - absent
}

// quickBernoulli sums contributions; the result differs from the sum of parts only by rounding.
type quickBernoulli struct {
	additive
	s *bernoulliScorer

	// fewer caches, by class, the logarithms of absence for one document fewer.
	fewer []absenceLogs
}

// Without implements Incremental: the other classes change only by the terms that the
// vocabulary has lost.
func (q *quickBernoulli) Without(left Totals, class int) Scorer {
	s := *q.s
	s.classes = slices.Clone(s.classes)
	s.vocabulary = left.Vocabulary
	lost := float64(q.s.vocabulary - left.Vocabulary)
	for c := range s.classes {
		k := &s.classes[c]
		if c == class {
			*k = newBernoulliClass(left.Classes[c], left.Vocabulary, s.yes.alpha, s.no.alpha, &q.fewer[c])
		} else if lost > 0 {
			k.absent -= lost * math.Log1p(-s.yes.alpha/(float64(k.docs)+s.yes.alpha+s.no.alpha))
		}
	}
	return &quickBernoulli{additive{of: &s}, &s, nil}
}

// Score implements Scorer.
func (q *quickBernoulli) Score(e *Evidence, scores []float64) {
	sumContributions(q, e, scores, new(contributions))
}

func (q *quickBernoulli) weights() *countWeights { return &weightsOne }

// contribute sets memory to what a class has by the term, less what it has of one it lacks.
func (q *quickBernoulli) contribute(row *Row, memory *contributions) {
	list := memory.of(row.Cells)
	for k := range row.Cells {
		cell := &row.Cells[k]
		class := &q.s.classes[cell.Class]
		list[k] = contribution{cell.Class, q.s.yes.quick(cell.DF) - q.s.no.quick(class.docs-cell.DF) - class.lacks}
	}
}

func (q *quickBernoulli) conclude(_ *Evidence, sums []float64, total float64) {
	for c := range sums {
		sums[c] += q.s.classes[c].absent + total*q.s.classes[c].lacks
	}
}
