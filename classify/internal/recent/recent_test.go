package recent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

func lesson(t *testing.T, c *Correction, a Answer) *Lesson {
	t.Helper()
	l := c.Lesson(&a)
	if l == nil {
		t.Fatalf("%+v is no surprise", a)
	}
	return l
}

// plain is a document of terms that occur once, with idf 1.
func plain(hashes ...uint16) (d Document, idf []float64) {
	for _, h := range hashes {
		d.Terms, idf = append(d.Terms, Term{h, 1}), append(idf, 1)
	}
	return d, idf
}

// A surprise moves the answer for an equal document towards the class taught, one that shares
// nothing not at all, and the second of two near copies less than the first.
func TestLesson(t *testing.T) {
	t.Parallel()
	var c Correction
	of, idf := plain(1, 2, 3, 4)
	if l := c.LogOdds(&of); l != 0 || !c.Empty() {
		t.Errorf("nothing learned: %v", l)
	}
	first := lesson(t, new(Correction), Answer{LogOdds: -2})
	c.Add(first.Marshal(new(Met), &of, idf), true)
	l := c.LogOdds(&of)
	after := c.Correct(-2, l)
	if math.Abs(l-first.Step) > 1e-5 || l < 2 || !(after > -2 && after < -2+.75*l) || c.Empty() {
		t.Errorf("an equal document: %v, log-odds %v", l, after)
	}
	half, _ := plain(1, 2, 8, 9)
	if near := c.LogOdds(&half); math.Abs(near-l/2) > 1e-5 {
		t.Errorf("half of the features: %v of %v", near, l)
	}
	none, _ := plain(5, 6)
	if other := c.LogOdds(&none); other != 0 {
		t.Errorf("another document: %v", other)
	}
	second := lesson(t, &c, Answer{LogOdds: -2, Correction: l})
	if !(second.Step < first.Step/2 && second.Gains[0] > 0) {
		t.Errorf("a near copy: %+v after %+v", second, first)
	}
	c.Add(second.Marshal(new(Met), &of, idf), true)
	if again := c.Correct(-2, l); again <= after {
		t.Errorf("after it has helped log-odds become %v, were %v", again, after)
	}
	c.Add(first.Marshal(new(Met), &of, idf), false)
	if l := c.LogOdds(&of); math.Abs(l-second.Step) > 1e-5 {
		t.Errorf("the same of the other class: %v", l)
	}
}

// The sum of lessons is that of the definition, and its weight the mean by the posterior.
func TestDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	document := func() (d Document, idf []float64) {
		for range r.IntN(60) {
			d.Terms, idf = append(d.Terms, Term{uint16(r.IntN(200)), uint8(1 + r.IntN(9))}), append(idf, 1+9*r.Float64())
		}
		for _, g := range r.Perm(100)[:r.IntN(30)] {
			d.Grams = append(d.Grams, uint16(1000+g))
		}
		return d, idf
	}
	var c Correction
	few := Correction{Few: true}
	x, _ := document()
	for len(x.Terms) == 0 || len(x.Grams) == 0 {
		x, _ = document()
	}
	lessons := new(Met)
	want, gains, met := 0., [len(weights)]float64{}, make(map[uint16]int)
	for i := range 50 {
		d, idf := document()
		l := lesson(t, new(Correction), Answer{LogOdds: -r.Float64(), Correction: -r.Float64()})
		step := l.Step
		if i%2 == 0 {
			step = -step
		}
		data := l.Marshal(lessons, &d, idf)
		c.Add(data, i%2 == 1)
		few.Add(data, i%2 == 1)
		lessons.Add(data)
		own, shared, length := 0., 0., 0.
		for i, a := range d.Terms {
			n := math.Log1p(float64(a.N))
			own += n * n * idf[i] * idf[i]
			length += n * n
			for _, b := range x.Terms {
				if a.Hash == b.Hash {
					shared += n * idf[i] * idf[i] * math.Log1p(float64(b.N))
				}
			}
		}
		asked := 0.
		for _, b := range x.Terms {
			asked += math.Pow(math.Log1p(float64(b.N)), 2)
		}
		if own > 0 {
			want += step / 2 * shared / own * math.Sqrt(length) / math.Sqrt(asked)
		}
		same := 0.
		all := 0.
		for _, a := range d.Grams {
			rare := math.Log(float64(1+i)/float64(1+met[a])) + common
			all += rare
			for _, b := range x.Grams {
				if a == b {
					same += rare
				}
			}
		}
		if same > 0 {
			want += step / 2 * same / all * math.Sqrt(float64(len(d.Grams))/float64(len(x.Grams)))
		}
		for _, a := range d.Grams {
			met[a]++
		}
		for i, g := range l.Gains {
			gains[i] += g
		}
	}
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	p, sum := logistic(1), 1.
	for i, g := range gains {
		p, sum = p+math.Exp(g)*logistic(1-2*weights[i]), sum+math.Exp(g)
	}
	p /= sum
	if l := c.LogOdds(&x); math.Abs(l-want) > .02*math.Abs(want)+.02 {
		t.Errorf("%v, want %v", l, want)
	}
	if one, all := few.LogOdds(&x), c.LogOdds(&x); one != all || few.Empty() {
		t.Errorf("%v by the features of one document, %v by all", one, all)
	}
	if mean := math.Log(p / (1 - p)); math.Abs(c.Correct(1, -2)-mean) > 1e-4 {
		t.Errorf("log-odds of 1 become %v, want %v", c.Correct(1, -2), mean)
	}
}

// Of many terms those that weigh most are kept.
func TestMostTerms(t *testing.T) {
	t.Parallel()
	var d Document
	var idf []float64
	for i := range 10 * mostTerms {
		d.Terms, idf = append(d.Terms, Term{uint16(i), 1}), append(idf, 1+float64(i%9))
	}
	l := lesson(t, new(Correction), Answer{})
	var c Correction
	data := l.Marshal(new(Met), &d, idf)
	c.Add(data, true)
	if len(data) != lessonHead+featureSize*mostTerms || c.sums[8] == 0 || c.sums[7] != 0 {
		t.Errorf("%d bytes; a rare term %v, another %v", len(data), c.sums[8], c.sums[7])
	}
}

// What is answered well is no lesson, and a label that is surely wrong a small one.
func TestSurprise(t *testing.T) {
	t.Parallel()
	for _, a := range []Answer{{LogOdds: 5}, {LogOdds: 3, Correction: 5}, {LogOdds: math.NaN()}} {
		if l := new(Correction).Lesson(&a); l != nil {
			t.Errorf("%+v: %+v", a, l)
		}
	}
	doubtful, wrong := lesson(t, new(Correction), Answer{LogOdds: -2}), lesson(t, new(Correction), Answer{LogOdds: -12})
	if math.Abs(wrong.Step) > doubtful.Step/10 {
		t.Errorf("a wrong label moves answers by %v, a doubtful answer by %v", wrong.Step, doubtful.Step)
	}
	likely := lesson(t, new(Correction), Answer{LogOdds: -2, Other: .2})
	if likely.Step >= doubtful.Step/2 {
		t.Errorf("where a fifth of the labels are wrong: %v of %v", likely.Step, doubtful.Step)
	}
}

func FuzzAdd(f *testing.F) {
	d, c := Document{[]Term{{1, 1}, {2, count.MaxCount}}, []uint16{65535}}, new(Met)
	f.Add((&Lesson{1, [len(weights)]float64{.5}}).Marshal(c, &d, []float64{1, 9}))
	f.Add((&Lesson{-rate, [len(weights)]float64{-5, 5}}).Marshal(c, &Document{}, nil))
	f.Add((&Lesson{math.NaN(), [len(weights)]float64{math.Inf(1)}}).Marshal(c, &d, []float64{1, 1}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Correction
		new(Met).Add(data)
		c.Add(data, true)
		if c.Empty() {
			return
		}
		asked := Document{[]Term{{1, 1}, {2, 3}}, []uint16{65535}}
		l, after := c.LogOdds(&asked), c.Correct(1, -2)
		if most := rate * maxUnit * math.MaxUint8 * float64(len(data)); !(math.Abs(l) <= most) || !(after <= 1 && after >= -2.0001) {
			t.Errorf("%v, log-odds %v from %x", l, after, data)
		}
		c.Add(data, false)
		if l := c.LogOdds(&asked); math.Abs(l) > 1e-3*float64(len(data)) {
			t.Errorf("added to both classes: %v", l)
		}
	})
}
