package eval

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
)

// coin is a classifier that knows how often it has seen each class, and nothing else.
type coin struct {
	counts []int
	docs   int
}

func (c *coin) posterior() []float64 {
	p := make([]float64, len(c.counts))
	for i, n := range c.counts {
		p[i] = float64(n) / float64(c.docs)
	}
	return p
}

func (c *coin) learn(class int) {
	for len(c.counts) <= class {
		c.counts = append(c.counts, 0)
	}
	c.counts[class]++
	c.docs++
}

// stream yields the letters of s, and then err if there is one.
func stream(s string, err error) iter.Seq2[rune, error] {
	return func(yield func(rune, error) bool) {
		for _, letter := range s {
			if !yield(letter, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func prequential(r *Results, documents iter.Seq2[rune, error]) iter.Seq2[Running, error] {
	var c coin
	test := func(letter rune) (Answer, error) {
		if c.docs == 0 {
			return Answer{}, fmt.Errorf("%w yet", ErrNoAnswer)
		}
		p := c.posterior()
		return Answer{Class: r.Class(string(letter)), Said: Top(p), Posterior: p}, nil
	}
	train := func(letter rune) error {
		if letter == '!' {
			return errors.New("disk full")
		}
		c.learn(r.Class(string(letter)))
		return nil
	}
	return Prequential(documents, r, test, train)
}

func TestPrequential(t *testing.T) {
	var r Results
	var all []Running
	for m, err := range prequential(&r, stream("aabab", nil)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	// a: skipped; a: said a of {1}; b: a of {1}, unheard of; a: a of {2/3, 1/3};
	// b: a of {3/4, 1/4}.
	last := all[len(all)-1]
	if len(all) != 5 || last.Docs != 4 || last.Skipped != 1 || last.Right != 2 || r.Len() != 4 {
		t.Fatalf("%+v", all)
	}
	near(t, "accuracy before the first answer", all[0].Accuracy(), math.NaN())
	near(t, "accuracy", last.Accuracy(), .5)
	near(t, "log loss before the new class", all[1].LogLoss(), 0)
	near(t, "log loss", last.LogLoss(), math.Inf(1))
	near(t, "Brier score", last.Brier(), (0+2+2./9+2*9./16)/4)
	near(t, "Brier score of the results", r.Brier(), last.Brier())
	near(t, "accuracy of the results", r.Accuracy(), last.Accuracy())
}

func TestPrequentialEnds(t *testing.T) {
	var r Results
	var got []string
	for m, err := range prequential(&r, stream("aab", errors.New("line 4 is no JSON"))) {
		got = append(got, fmt.Sprint(m.Docs, err))
	}
	if want := []string{"0 <nil>", "1 <nil>", "2 <nil>", "2 line 4 is no JSON"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = nil
	for m, err := range prequential(new(Results), stream("aa!a", nil)) {
		got = append(got, fmt.Sprint(m.Docs, err))
	}
	if want := []string{"0 <nil>", "1 <nil>", "2 disk full"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range prequential(&r, stream("aaaa", nil)) {
		break // must not go on
	}
}

func TestPrequentialUnsure(t *testing.T) {
	r := NewResults("a")
	test := func(rune) (Answer, error) { return Answer{Said: Unsure, Posterior: []float64{1}}, nil }
	var last Running
	for last = range Prequential(stream("aaa", nil), r, test, func(rune) error { return nil }) {
	}
	if last.Docs != 3 || last.UnsureDocs != 3 || last.Right != 0 {
		t.Errorf("%+v", last)
	}
}

func TestPrequentialRefuses(t *testing.T) {
	r := NewResults("a")
	test := func(rune) (Answer, error) { return Answer{Posterior: []float64{math.NaN()}}, nil }
	var n int
	for m, err := range Prequential(stream("aa", nil), r, test, func(rune) error { n++; return nil }) {
		if err == nil || m.Docs != 0 {
			t.Errorf("%+v %v", m, err)
		}
	}
	if n != 0 {
		t.Errorf("learned %d documents after an error", n)
	}
}

func TestLogSizes(t *testing.T) {
	for _, test := range []struct {
		first, last, perDecade int
		want                   []int
	}{
		{10, 1000, 3, []int{10, 22, 46, 100, 215, 464, 1000}},
		{10, 1234, 1, []int{10, 100, 1000, 1234}},
		{1, 10, 10, []int{1, 2, 3, 4, 5, 6, 8, 10}},
		{10, 10, 3, []int{10}},
		{10, 3, 3, []int{3}},
		{10, 0, 3, nil},
	} {
		if got := LogSizes(test.first, test.last, test.perDecade); !slices.Equal(got, test.want) {
			t.Errorf("%d to %d, %d a decade: %v, want %v", test.first, test.last, test.perDecade, got, test.want)
		}
	}
}

func TestLearningCurve(t *testing.T) {
	letters := []rune("aabaaaab")
	var c coin
	r := NewResults("a", "b")
	train := func(from, to int) error {
		if to > len(letters) {
			return errors.New("no more documents")
		}
		for _, letter := range letters[from:to] {
			c.learn(r.Class(string(letter)))
		}
		return nil
	}
	test := func() (*Results, error) {
		out := NewResults(r.Classes()...)
		if c.docs == 0 {
			return nil, ErrNoAnswer
		}
		return out, out.Add(Answer{Class: 0, Posterior: c.posterior()})
	}
	curve, err := LearningCurve([]int{1, 3, 8, 9}, train, test)
	if err == nil || !strings.Contains(err.Error(), "8 to 9: no more documents") || len(curve) != 3 {
		t.Fatalf("%v %v", curve, err)
	}
	for i, want := range []struct {
		docs int
		loss float64
	}{{1, 0}, {3, math.Log(3. / 2)}, {8, math.Log(8. / 6)}} {
		if curve[i].Docs != want.docs {
			t.Errorf("point %d after %d documents, want %d", i, curve[i].Docs, want.docs)
		}
		near(t, "log loss", curve[i].Results.LogLoss(), want.loss)
	}
	c = coin{}
	if _, err := LearningCurve([]int{0}, train, test); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("error of the test is %v", err)
	}
}
