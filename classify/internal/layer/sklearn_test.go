package layer

import (
	"math"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// The figures are those of scikit-learn 1.2.1. With two classes the softmax of scores s and
// -s is the logistic function of 2s, so that its
//
//	SGDClassifier(loss="log_loss", penalty=None, learning_rate="constant", eta0=10,
//		fit_intercept=False, shuffle=False)
//
// by partial_fit of one document after the other, on vectors of log(1+x) idf of length 1,
// has decision_function, before each document, and coef_ that are twice ours.
func TestLearnAsScikitLearn(t *testing.T) {
	t.Parallel()
	const a, b = 0, 1
	docs := []struct {
		class int
		n     [4]uint8 // of u, x, y, z
	}{
		{a, [4]uint8{1, 1, 2, 0}}, {b, [4]uint8{0, 0, 1, 3}}, {a, [4]uint8{0, 2, 0, 1}},
		{b, [4]uint8{2, 0, 1, 1}}, {a, [4]uint8{1, 1, 1, 0}}, {b, [4]uint8{0, 1, 0, 2}},
	}
	scores := []float64{0.000000, -1.590799, 2.066702, -0.972394, -1.492292, -0.869571}
	weights := [4]float64{1.936678, -6.979386, 2.223583, 11.707185}

	l := New(2, new(Terms))
	l.terms.Numbers(nil, []count.TermCount{{Term: []byte("a")}, {Term: []byte("b")}, {Term: []byte("c")}, {Term: []byte("d")}})
	df := make([]uint64, 4)
	for _, d := range docs {
		one := document{label: d.class}
		for i, n := range d.n {
			if n > 0 {
				one.terms, one.n = append(one.terms, uint32(i)), append(one.n, n)
				df[i]++
			}
		}
		l.docs = append(l.docs, one)
	}
	p := l.pass(uint64(len(docs)), df)
	for i := range l.docs {
		p.score(&l.docs[i])
		if got := p.scores[b] - p.scores[a]; math.Abs(got-scores[i]) > 1e-5 {
			t.Errorf("document %d: %v, want %v", i, got, scores[i])
		}
		p.learn(&l.docs[i])
	}
	for i, want := range weights {
		if row := p.of(p.terms[i].row); math.Abs(float64(row[b]-row[a])-want) > 1e-4 {
			t.Errorf("term %d: %v, want %v", i, row[b]-row[a], want)
		}
	}
}
