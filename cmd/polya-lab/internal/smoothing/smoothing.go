// Package smoothing has the multinomial with the counts and the smoothings of the textbooks, as an event
// model of package model.
package smoothing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// Multinomial is a multinomial with one of the methods of Parse. It gives a document
// Σ_t x_t log θ_ct, of the terms that some class has.
type Multinomial struct {
	name   string
	counts string // "log", "binary", or "" for occurrences
	theta  theta
	amount float64
}

// theta returns the probability of a term of which a class has n of its total. There are v terms, of
// which the class has own, and bg is the share of the term in the document frequencies of all classes.
type theta func(amount, n, total, v, own, bg float64) float64

// methods are the smoothings by their parameter (C. Zhai and J. Lafferty, A Study of Smoothing Methods
// for Language Models Applied to Information Retrieval, ACM TOIS 22, 2004; the m-estimate is from B.
// Cestnik, Estimating Probabilities, ECAI 1990). "ml" is maximum likelihood.
var methods = map[string]theta{
	"ml":        func(_, n, total, _, _, _ float64) float64 { return n / total },
	"alpha":     func(a, n, total, v, _, _ float64) float64 { return (n + a) / (total + a*v) },
	"m":         func(m, n, total, v, _, _ float64) float64 { return (n + m/v) / (total + m) },
	"jm":        func(l, n, total, _, _, bg float64) float64 { return (1-l)*n/total + l*bg },
	"dirichlet": func(mu, n, total, _, _, bg float64) float64 { return (n + mu*bg) / (total + mu) },
	"discount": func(d, n, total, _, own, bg float64) float64 {
		return max(n-d, 0)/total + d*own/total*bg
	},
}

// Parse returns the model of a name such as "multinomial:log,jm=0.7": counts of log(1+x) or 1 (log,
// binary), and ml or one of alpha, m, jm, dirichlet and discount with its amount. ok is false for a name
// that is no multinomial with such parameters.
func Parse(name string) (m *Multinomial, ok bool) {
	parameters, found := strings.CutPrefix(name, "multinomial:")
	m = &Multinomial{name: name, theta: methods["alpha"], amount: model.DefaultMultinomialAlpha}
	for p := range strings.SplitSeq(parameters, ",") {
		key, value, hasValue := strings.Cut(p, "=")
		switch method := methods[key]; {
		case key == "log" || key == "binary":
			m.counts = key
		case method == nil || hasValue == (key == "ml"):
			return nil, false
		case hasValue:
			m.theta = method
			var err error
			m.amount, err = strconv.ParseFloat(value, 64)
			share := key == "jm" || key == "discount"
			if err != nil || !(m.amount > 0) || share && m.amount > 1 || math.IsInf(m.amount, 1) {
				return nil, false
			}
		default:
			m.theta = method
		}
	}
	return m, found
}

// Name returns the name that Parse read.
func (m *Multinomial) Name() string { return m.name }

// counted returns what counts of a term of which there are x in df documents. Of a class log(1+x) has its
// chord through 0, 1 and 2, which follows from sums.
func (m *Multinomial) counted(x, df float64) float64 {
	switch m.counts {
	case "log":
		return math.Log(3./2)*x + math.Log(4./3)*df
	case "binary":
		return df
	}
	return x
}

// Prepare computes the totals of the classes.
func (m *Multinomial) Prepare(t model.Totals) model.Scorer {
	s := &scorer{Multinomial: m, classes: t.Classes, vocabulary: float64(max(t.Vocabulary, 1)), background: .01 * float64(t.Vocabulary)}
	for _, class := range t.Classes {
		df := 0.0
		for _, p := range class.Frequencies {
			df += float64(p.N * p.Count)
		}
		s.background += df
		s.totals = append(s.totals, m.counted(float64(class.Tokens), df+float64(class.Dropped)))
	}
	return s
}

type scorer struct {
	*Multinomial
	classes                []*count.Class
	totals                 []float64
	vocabulary, background float64
}

// term returns x log θ of a row in class c.
func (s *scorer) term(row *model.Row, c int) float64 {
	n := 0.0
	if k := slices.IndexFunc(row.Cells, func(cell count.Cell) bool { return cell.Class == c }); k >= 0 {
		n = s.counted(float64(row.Cells[k].TF), float64(row.Cells[k].DF))
	}
	x := float64(row.X)
	switch s.counts {
	case "log":
		x = math.Log1p(x)
	case "binary":
		x = 1
	}
	if s.totals[c] == 0 {
		return -x * math.Log(s.vocabulary)
	}
	bg := (float64(row.DF) + .01) / s.background
	return x * math.Log(s.theta(s.amount, n, s.totals[c], s.vocabulary, float64(s.classes[c].Terms), bg))
}

// Score implements model.Scorer.
func (s *scorer) Score(e *model.Evidence, scores []float64) {
	clear(scores)
	for i := range e.Rows {
		for c := range scores {
			scores[c] += s.term(&e.Rows[i], c)
		}
	}
}

// Explain implements model.Scorer.
func (s *scorer) Explain(e *model.Evidence, weight float64, x *model.Contributions) {
	for i := range e.Rows {
		for c := range s.classes {
			x.Rows[i][c] += weight * s.term(&e.Rows[i], c)
		}
	}
}
