package decision

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

func nearly(x, y, tol float64) bool { return math.Abs(x-y) <= tol*max(1, math.Abs(x), math.Abs(y)) }

// answerOf is what there is to decide from where the classes a, b, … have the
// given probabilities.
func answerOf(probabilities ...float64) *Case {
	a := &Case{Terms: 3, Probabilities: probabilities}
	for c, p := range probabilities {
		a.Classes = append(a.Classes, &count.Class{ID: count.ClassID(c), Name: string(rune('a' + c)), Docs: 10})
		a.Scores = append(a.Scores, math.Log(p))
		a.Order = append(a.Order, c)
	}
	slices.SortStableFunc(a.Order, func(x, y int) int { return int(math.Copysign(1, probabilities[y]-probabilities[x])) })
	return a
}

// decide returns the answer of a decision that abstains from none.
func decide(d Decision, a *Case) (class int, reason Reason) { return a.Decide(d, 0) }

func costs(t *testing.T, list ...string) Costs {
	t.Helper()
	k, err := ParseCosts(list)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Where it is λ times as bad to call a the other as the reverse, and right
// answers cost nothing, b is to be answered from probability λ/(1+λ): .9 for 9
// and .999 for 999 (I. Androutsopoulos et al., An Evaluation of Naive Bayesian
// Anti-Spam Filtering, 2000; C. Elkan, The Foundations of Cost-Sensitive
// Learning, 2001, equation 2).
func TestCostsOfTwoClasses(t *testing.T) {
	t.Parallel()
	for lambda, threshold := range map[int]float64{1: .5, 9: .9, 999: .999} {
		d := LeastCost{Costs: costs(t, fmt.Sprintf("a>b=%d", lambda))}
		for p, want := range map[float64]int{threshold - 1e-9: 0, threshold + 1e-9: 1} {
			if got, reason := decide(d, answerOf(1-p, p)); got != want || reason != Sure {
				t.Errorf("λ = %d, p = %v: class %d, %q", lambda, p, got, reason)
			}
		}
	}
}

// With the same cost λs for every wrong answer and λr for none, none is right
// if the greatest probability is below 1 - λr/λs (Duda, Hart and Stork, Pattern
// Classification, 2001, problem 2.13).
func TestCostsOfRejecting(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	said := map[Reason]int{}
	for range 2000 {
		p := []float64{rng.ExpFloat64(), rng.ExpFloat64(), rng.ExpFloat64()}
		sum := p[0] + p[1] + p[2]
		p[0], p[1], p[2] = p[0]/sum, p[1]/sum, p[2]/sum
		substitution, rejection := 1+9*rng.Float64(), .01+3*rng.Float64()
		d := LeastCost{Costs: Costs{Pairs: map[[2]string]float64{}, Unsure: rejection}}
		for _, pair := range []string{"ab", "ac", "ba", "bc", "ca", "cb"} {
			d.Costs.Pairs[[2]string{pair[:1], pair[1:]}] = substitution
		}
		class, reason := decide(d, answerOf(p...))
		if p[class] != slices.Max(p) {
			t.Fatalf("%v: class %d", p, class)
		}
		want := Sure
		if slices.Max(p) < 1-rejection/substitution {
			want = TooDear
		}
		if reason != want {
			t.Fatalf("%v, λs = %v, λr = %v: %q, want %q", p, substitution, rejection, reason, want)
		}
		said[reason]++
	}
	if said[Sure] < 200 || said[TooDear] < 200 {
		t.Errorf("one-sided: %v", said)
	}
}

// Three classes, by hand: of probabilities .5, .3 and .2 the costs of saying a,
// b and c are
//
//	a: .3×4 + .2×10      = 3.2
//	b: .5×1 + .2×8       = 2.1
//	c: .5×2 + .3×2 + .2×1 = 1.8 (being right costs 1)
func TestCostsOfThreeClasses(t *testing.T) {
	t.Parallel()
	list := []string{"b>a=4", "c>a=10", "c>b=8", "a>c=2", "b>c=2", "c>c=1"}
	a := answerOf(.5, .3, .2)
	for _, c := range []struct {
		unsure string
		reason Reason
	}{{"unsure=0", Sure}, {"unsure=1.81", Sure}, {"unsure=1.79", TooDear}} {
		d := LeastCost{Costs: costs(t, append(list, c.unsure)...)}
		if class, reason := decide(d, a); class != 2 || reason != c.reason {
			t.Errorf("%s: class %d, %q", c.unsure, class, reason)
		}
		for said, want := range []float64{3.2, 2.1, 1.8} {
			if got := a.Costs.Expected(a.Probabilities, said); !nearly(got, want, 1e-12) {
				t.Errorf("saying %d costs %v, want %v", said, got, want)
			}
		}
	}
	// Among equals the more probable.
	if class, reason := decide(LeastCost{Costs: Costs{Pairs: map[[2]string]float64{{"b", "c"}: 0, {"c", "b"}: 0, {"a", "b"}: 0, {"a", "c"}: 0}}}, answerOf(.1, .4, .5)); class != 2 || reason != Sure {
		t.Errorf("equal costs: class %d, %q", class, reason)
	}
}

// Probabilities that are no numbers make no answer out of nothing.
func TestCostsOfNaN(t *testing.T) {
	t.Parallel()
	a := answerOf(.5, .5, .5)
	a.Order = []int{2, 1}
	a.Probabilities = []float64{math.NaN(), math.NaN(), math.NaN()}
	if class, _ := decide(LeastCost{}, a); class != 2 {
		t.Errorf("class %d, which has no documents", class)
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		d      Decision
		k      float64 // threshold
		change func(*Case)
		p      []float64
		want   Reason
	}{
		{name: "sure", p: []float64{.6, .4}, want: Sure},
		{name: "no known term", p: []float64{.6, .4}, change: func(a *Case) { a.Terms = 0 }, want: NoKnownTerm},
		{name: "before all others", k: 1, p: []float64{.5, .5}, change: func(a *Case) { a.Terms = 0 }, want: NoKnownTerm},
		{name: "tie", p: []float64{.4, .2, .4}, want: Tie},
		{name: "one class", p: []float64{1}, change: func(a *Case) { a.Terms = 0 }, want: OneClass},
		{name: "one class, a filter", d: Filter{Positive: "a"}, p: []float64{1}, want: OneClass},
		{name: "one class, costs", d: LeastCost{}, p: []float64{1}, want: OneClass},
		{name: "one class, another looked for", d: Filter{Positive: "x"}, p: []float64{1}, want: Unlearned},
		{name: "below", k: .61, p: []float64{.6, .4}, want: BelowThreshold},
		{name: "at threshold", k: .6, p: []float64{.6, .4}, want: Sure},
		{name: "costs and threshold", d: LeastCost{}, k: .7, p: []float64{.6, .4}, want: BelowThreshold},
		{name: "as much as unsure costs", d: LeastCost{Costs: Costs{Unsure: .25}}, p: []float64{.75, .25}, want: Sure},
		{name: "a tie that costs decide", d: LeastCost{Costs: Costs{Pairs: map[[2]string]float64{{"a", "b"}: 2}}}, p: []float64{.5, .5}, want: Sure},
		{name: "no tail", d: FalsePositiveRate{Positive: "a", Rate: .1}, p: []float64{.6, .4}, want: UnknownRate},
		{name: "no tail, other class", d: FalsePositiveRate{Positive: "b", Rate: .1}, p: []float64{.6, .4}, want: Sure},
		{name: "positive class without documents", d: FalsePositiveRate{Positive: "x", Rate: .1}, p: []float64{.6, .4}, want: Unlearned},
		{name: "no other class", d: FalsePositiveRate{Positive: "a", Rate: .1}, p: []float64{1}, want: OneClass},
	} {
		a := answerOf(c.p...)
		if c.change != nil {
			c.change(a)
		}
		if c.d == nil {
			c.d = MostProbable{}
		}
		if class, got := a.Decide(c.d, c.k); got != c.want || class != 0 {
			t.Errorf("%s: class %d, %q, want %q", c.name, class, got, c.want)
		}
	}
}

// Positive is answered beyond the cut-off for the rate alone, be it the most probable
// class or not, and held back where it is the most probable and not beyond.
func TestRate(t *testing.T) {
	t.Parallel()
	// Of 20 others two exceed 4: with 95 % confidence at most 28.3 % of all others do.
	tail := tailOf(20, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6)
	fitted := &calibration.Model{Tails: map[count.ClassID]calibration.Tail{1: tail}}
	d := FalsePositiveRate{Positive: "b", Rate: .285}
	for odds, want := range map[float64]Reason{4.01: Sure, 4: HeldBack, 3.99: HeldBack, .1: HeldBack, 9: Sure} {
		p := 1 / (1 + math.Exp(-odds))
		a := answerOf(.9*(1-p), p, .1*(1-p))
		a.Calibrated = fitted
		a.Scores = []float64{math.Log(.9), odds, math.Log(.1)}
		if class, reason := decide(d, a); class != 1 || reason != want {
			t.Errorf("log-odds %v: class %d, %q, want %q", odds, class, reason, want)
		}
	}
	for rate, want := range map[float64]float64{.285: 4, .28: 5, .14: 6, .139: 0} {
		if cut, known := tail.Cut(rate); cut.LogOdds != want || known != (want > 0) {
			t.Errorf("rate %v: %+v, %t, want %v", rate, cut, known, want)
		}
	}
	// A document exceeds the cut-off only above it: its own log-odds are kept there.
	at := answerOf(.5, .5)
	at.Calibrated, at.Scores = fitted, []float64{0, 4}
	at.Order = []int{1, 0}
	if class, reason := decide(d, at); class != 1 || reason != HeldBack {
		t.Errorf("log-odds of the cut-off itself: class %d, %q, want %q", class, reason, HeldBack)
	}
	a := answerOf(.9, .1)
	a.Calibrated = fitted
	if class, reason := decide(d, a); class != 0 || reason != Sure {
		t.Errorf("another class is the most probable: class %d, %q", class, reason)
	}
	fitted.Tails[1] = tailOf(20, -9, -9, -9, -9, -9, -8, -8, -8, -8, -7, -7, -7)
	if class, reason := decide(d, a); class != 1 || reason != Sure {
		t.Errorf("a class of probability .1 that one in 1,000 documents of others gets: class %d, %q", class, reason)
	}
}

// tailOf returns the Tail of other documents' log-odds, with so many of the class, all
// at 0.
func tailOf(own int, others ...float64) calibration.Tail {
	var list []calibration.Odds
	for i, odds := range others {
		list = append(list, calibration.Odds{LogOdds: odds, ID: count.DocID{15: byte(i), 14: byte(i >> 8)}})
	}
	return calibration.NewTail(append(list, slices.Repeat([]calibration.Odds{{Own: 1}}, own)...), 0, false)
}

// Shares of what is not given: in proportion to what was learned, or equal.
func TestPriorShift(t *testing.T) {
	t.Parallel()
	classes := []*count.Class{{Name: "a", Docs: 5}, {Name: "b", Docs: 2}, {Name: "c", Docs: 0}, {Name: "d", Docs: 0}, {Name: "e", Docs: 1}}
	// What was learned is 6/11, 3/11 and 2/11.
	for _, c := range []struct {
		prior string
		also  bool // Uniform beside Given
		want  []float64
	}{
		{"empirical", false, []float64{6. / 11, 3. / 11, 2. / 11}},
		{"uniform", false, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"b=0.5", false, []float64{.5 * 6 / 8, .5, .5 * 2 / 8}},
		{"b=0.5", true, []float64{.25, .5, .25}},
		{"c=0.5", false, []float64{6. / 11, 3. / 11, 2. / 11}}, // there are no documents of it
		{"x=0.5", false, []float64{6. / 11, 3. / 11, 2. / 11}}, // nor such a class
		{"a=0.2,b=0.2,e=0.2", false, []float64{.2, .2, .2}},
		{"a=0.5,b=0.5", false, []float64{.5, .5, 1e-9}},
		{"ml", false, []float64{5. / 8, 2. / 8, 1. / 8}},
		{"dirichlet:0.5", false, []float64{5.5 / 9.5, 2.5 / 9.5, 1.5 / 9.5}},
		{"dirichlet:1", false, []float64{6. / 11, 3. / 11, 2. / 11}},
		{"dirichlet:4", false, []float64{9. / 20, 6. / 20, 5. / 20}},
	} {
		p, err := ParsePrior(c.prior)
		if err != nil {
			t.Fatal(err)
		}
		p.Uniform = p.Uniform || c.also
		shift := p.Shift(classes)
		for i, class := range []int{0, 1, 4} {
			learned := []float64{6. / 11, 3. / 11, 2. / 11}[i]
			if got := learned * math.Exp(shift[class]); !nearly(got, c.want[i], 1e-12) {
				t.Errorf("%s: class %d has %v, want %v", c.prior, class, got, c.want[i])
			}
		}
		if shift[2] != 0 || shift[3] != 0 {
			t.Errorf("%s: classes without documents are shifted by %v", c.prior, shift)
		}
	}
}

func TestParseCosts(t *testing.T) {
	t.Parallel()
	k := costs(t, "ham>spam=10", "a>b>c=0.5", "x=y>z=2", "unsure=0.25")
	if k.Unsure != .25 || costOf(&k, "ham", "spam") != 10 || costOf(&k, "spam", "ham") != 1 || costOf(&k, "ham", "ham") != 0 || costOf(&k, "a", "b>c") != .5 || costOf(&k, "x=y", "z") != 2 {
		t.Errorf("%+v", k)
	}
	for _, bad := range []string{"", "ham", "ham>spam", "ham>spam=", "ham>spam=x", "ham>spam=-1", "ham>spam=NaN", "ham>spam=Inf", ">spam=1", "ham>=1", "=1", "sure=1", "unsure=-1", "unsure=NaN", "unsure=Inf"} {
		if _, err := ParseCosts([]string{bad}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParsePrior(t *testing.T) {
	t.Parallel()
	p, err := ParsePrior("spam=0.25,a=b=0.5")
	if err != nil || p.Uniform || p.Given["spam"] != .25 || p.Given["a=b"] != .5 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"x", "spam", "spam=", "spam=x", "spam=0", "spam=1", "spam=-1", "spam=NaN", "=0.5", "a=0.7,b=0.7", "a=0.5,", ",", "uniform,a=0.5", "dirichlet", "dirichlet:", "dirichlet:x", "dirichlet:0", "dirichlet:-1", "dirichlet:NaN", "dirichlet:Inf", "ml:1"} {
		if _, err := ParsePrior(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// costOf is the cost of answering a class for a document of class truth.
func costOf(k *Costs, truth, said string) float64 {
	if cost, listed := k.Pairs[[2]string{truth, said}]; listed {
		return cost
	}
	if truth == said {
		return 0
	}
	return 1
}

// plainCost is the double sum of the definition.
func plainCost(k *Costs, a *Case, said int) float64 {
	sum := 0.0
	for truth, p := range a.Probabilities {
		sum += p * costOf(k, a.Classes[truth].Name, a.Classes[said].Name)
	}
	return sum
}

// Expected costs equal the plain sum over all classes, and so is the class answered, be
// few pairs listed or all, and also where next to nothing is left that costs 1.
func TestExpectedCostIsThePlainSum(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	for range 3000 {
		p := make([]float64, 1+rng.IntN(12))
		sum, sharp := 0.0, 1+20*rng.Float64()
		for c := range p {
			p[c] = math.Exp(sharp * rng.NormFloat64())
			sum += p[c]
		}
		for c := range p {
			p[c] /= sum
		}
		a := answerOf(p...)
		k := &Costs{Pairs: map[[2]string]float64{{"nobody", "a"}: 5, {"a", "nobody"}: 5}}
		share := rng.Float64()
		for _, truth := range a.Classes {
			for _, said := range a.Classes {
				if rng.Float64() < share {
					k.Pairs[[2]string{truth.Name, said.Name}] = []float64{0, 1, .3, 10, 1e6}[rng.IntN(5)]
				}
			}
		}
		table := newCostTable(k, a.Classes)
		least := math.Inf(1)
		for said := range a.Classes {
			got, want := table.Expected(p, said), plainCost(k, a, said)
			if !(math.Abs(got-want) <= 1e-13*want) { // relative, so that all of what is small is right
				t.Fatalf("%v, %v, saying %d: %v, want %v", p, k.Pairs, said, got, want)
			}
			least = min(least, want)
		}
		if class, _ := decide(LeastCost{Costs: *k}, a); !nearly(plainCost(k, a, class), least, 1e-13) {
			t.Fatalf("%v, %v: class %d costs %v, the least is %v", p, k.Pairs, class, plainCost(k, a, class), least)
		}
	}
}

// An answer among many classes looks at the pairs listed, and at all classes only
// for those of which that leaves few digits.
func TestCostsOfManyClasses(t *testing.T) {
	t.Parallel()
	const classes = 3000
	a := &Case{}
	for c := range classes {
		a.Classes = append(a.Classes, &count.Class{Name: string(rune('a' + c))})
		a.Probabilities = append(a.Probabilities, 1./classes)
	}
	table := newCostTable(&Costs{Pairs: map[[2]string]float64{{"b", "a"}: 3}}, a.Classes)
	if len(table.listed) != 1 || len(table.listed[0]) != 1 {
		t.Fatalf("%v", table.listed)
	}
	for said, want := range map[int]float64{0: (classes - 2 + 3.) / classes, 1: (classes - 1.) / classes, classes - 1: (classes - 1.) / classes} {
		if got := table.Expected(a.Probabilities, said); !nearly(got, want, 1e-12) {
			t.Errorf("saying %d costs %v, want %v", said, got, want)
		}
	}
}

// The error is of the first pair or class by name, whatever the order of the map.
func TestErrorsAreInOrder(t *testing.T) {
	t.Parallel()
	k := &Costs{Pairs: make(map[[2]string]float64)}
	p := Prior{Given: make(map[string]float64)}
	for c := 'b'; c < 'p'; c++ {
		k.Pairs[[2]string{"m", string(c)}], k.Pairs[[2]string{"l", string(c)}] = -1, -1
		p.Given[string(c)] = 7
	}
	for range 20 {
		if err := k.check(); err == nil || !strings.Contains(err.Error(), "saying b of a document of l") {
			t.Fatalf("costs: %v", err)
		}
		if err := p.check(); err == nil || !strings.Contains(err.Error(), "prior of b") {
			t.Fatalf("prior: %v", err)
		}
	}
}

// However an answer is chosen, a no that some terms contradict, or without a text, is unsure, and a yes is not.
func TestContradictionWithOtherDecisions(t *testing.T) {
	t.Parallel()
	for _, d := range []Decision{
		Filter{Positive: "b"}, MostProbable{Positive: "b"}, LeastCost{Positive: "b"}, FalsePositiveRate{Positive: "b", Rate: .1},
	} {
		for at, p := range [][]float64{{.999, .001}, {.001, .999}, {.999, .001}, {.001, .999}} {
			a := answerOf(p...)
			a.Contradicts, a.Unread = at < 2, at >= 2
			a.Calibrated = &calibration.Model{Tails: map[count.ClassID]calibration.Tail{1: tailOf(20, make([]float64, 99)...)}}
			want := Sure
			if p[1] < .5 {
				want = Contradiction
				if a.Unread {
					want = Unread
				}
			}
			if _, reason := decide(d, a); reason != want {
				t.Errorf("%+v, %v: %q, want %q", d, p, reason, want)
			}
		}
	}
}

// A filter answers yes, unsure and no by the zone of its class; a threshold, costs or a
// rate in its place.
func TestZoneDecides(t *testing.T) {
	t.Parallel()
	zones := map[count.ClassID]calibration.Zone{1: {No: -1, Yes: 2}}
	for _, c := range []struct {
		p      []float64
		class  int
		reason Reason
	}{
		{[]float64{.8, .2}, 0, Sure}, {[]float64{.7, .3}, 0, TooClose}, {[]float64{.5, .5}, 0, TooClose},
		{[]float64{.2, .8}, 1, TooClose}, {[]float64{.11, .89}, 1, Sure}, {[]float64{.21, .22, .19, .19, .19}, 0, Sure},
	} {
		a := answerOf(c.p...)
		a.Calibrated = &calibration.Model{Zones: zones}
		d := Filter{Positive: "b"}
		if class, reason := decide(d, a); class != c.class || reason != c.reason {
			t.Errorf("%v: class %d, %q, want %d, %q", c.p, class, reason, c.class, c.reason)
		}
		best := slices.Index(c.p, slices.Max(c.p))
		for _, d := range []Decision{MostProbable{Positive: "b"}, LeastCost{Positive: "b"}} {
			if class, reason := decide(d, a); class != best || reason != Sure && c.p[0] != c.p[1] {
				t.Errorf("%+v, %v: class %d, %q, want %d", d, c.p, class, reason, best)
			}
		}
	}
}

// A prior that is given replaces the shares of what was taught, so a zone that is higher for
// these is not higher for it.
func TestZoneOfGivenPrior(t *testing.T) {
	t.Parallel()
	z := calibration.Zone{No: -1, Yes: 4, Own: [3]int{0, 0, 499}, Others: [3]int{19, 0, 0}}
	a := answerOf(.05, .95) // log-odds 2.94, beyond 4 - log(500/20)/2
	a.Calibrated, a.Text = &calibration.Model{Zones: map[count.ClassID]calibration.Zone{1: z}}, math.Inf(1)
	for _, given := range []bool{false, true} {
		_, reason := decide(Filter{Positive: "b", Prior: Prior{Uniform: given}}, a)
		if (reason == Sure) != given {
			t.Errorf("given %v: %q", given, reason)
		}
	}
}

// A yes takes a text that speaks for it too, and where more of it was learned than of others more so.
func TestTextOfFilter(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		own  int
		text float64
		want Reason
	}{{19, -.1, Contradiction}, {19, 0, Sure}, {499, .1, Contradiction}, {499, 2, Sure}} {
		z := calibration.Zone{No: -1, Yes: 2, Own: [3]int{0, 0, x.own}, Others: [3]int{19, 0, 0}}
		a := answerOf(.05, .95)
		a.Calibrated, a.Text = &calibration.Model{Zones: map[count.ClassID]calibration.Zone{1: z}}, x.text
		if class, reason := decide(Filter{Positive: "b"}, a); class != 1 || reason != x.want {
			t.Errorf("%+v: class %d, %q", x, class, reason)
		}
	}
}

// What only recent lessons make sure is unsure, and what they contradict is too, whichever of the
// two classes is looked for.
func TestRecentLessonsMakeNothingSure(t *testing.T) {
	t.Parallel()
	for _, positive := range []int{0, 1} {
		id, name, sign := count.ClassID(positive), string(rune('a'+positive)), float64(2*positive-1)
		model := &calibration.Model{
			Zones: map[count.ClassID]calibration.Zone{id: {No: -1, Yes: 2}},
			Tails: map[count.ClassID]calibration.Tail{id: {Documents: 1000, Own: 1000, Ranks: []int{0}, LogOdds: []float32{2}, Caught: []int{0}}},
		}
		record := calibration.NewRecord(slices.Repeat([]calibration.Answered{{Class: id, LogOdds: 2, Right: 1}}, 100))
		for _, c := range []struct {
			logOdds, recent float64 // of the class looked for
			filter, rate    Reason
		}{
			{3, 0, Sure, Sure}, {3, .5, Sure, Sure}, {3, 2, TooClose, HeldBack}, {3, 6, TooClose, HeldBack},
			{1.5, -2, TooClose, HeldBack}, {-2, -.5, Sure, Sure}, {-2, -2, TooClose, Sure}, {-2, -6, TooClose, Sure},
		} {
			p := numeric.Logistic(sign * c.logOdds)
			a := answerOf(1-p, p)
			a.Calibrated, a.Recent, a.Record = model, sign*c.recent, record
			if _, reason := decide(Filter{Positive: name}, a); reason != c.filter {
				t.Errorf("filter for %s, %+v: %q", name, c, reason)
			}
			if _, reason := decide(FalsePositiveRate{Positive: name, Rate: .01}, a); reason != c.rate {
				t.Errorf("rate of %s, %+v: %q", name, c, reason)
			}
			if _, reason := decide(Precision{Share: .9}, a); c.logOdds > 0 && (reason == Sure) != (c.rate == Sure) {
				t.Errorf("precision, %s, %+v: %q", name, c, reason)
			}
		}
	}
}

// A few documents of other classes do not show that a document is of none of them.
func TestFewOthers(t *testing.T) {
	t.Parallel()
	a := answerOf(.9999, .00007, .00003)
	for docs, want := range map[uint64]Reason{1: TooClose, fewestOthers - 1: TooClose, fewestOthers: Sure} {
		a.Classes[0].Docs, a.Classes[1].Docs, a.Classes[2].Docs = 50, 1, docs-1
		if class, reason := decide(Filter{Positive: "a"}, a); class != 0 || reason != want {
			t.Errorf("%d documents of other classes: class %d, %q", docs, class, reason)
		}
	}
}

// Without a calibration, a filter is the less sure the more of its class was learned than of others;
// with one it is not. A prior that is given has taken the ratio out of the posterior.
func TestUnequal(t *testing.T) {
	t.Parallel()
	uniform, half := Prior{Uniform: true}, Prior{Given: map[string]float64{"a": .5}}
	for _, c := range []struct {
		p          float64
		own        uint64
		calibrated *calibration.Model
		prior      Prior
		want       Reason
	}{
		{.995, 20, nil, Prior{}, Sure}, {.995, 40, nil, Prior{}, TooClose}, {.999, 40, nil, Prior{}, Sure},
		{.999, 200, nil, Prior{}, TooClose}, {.99995, 200, nil, Prior{}, Sure}, {.99995, 201, nil, Prior{}, TooClose},
		{.999, 200, nil, Prior{MaximumLikelihood: true}, TooClose},
		{.999, 500, &calibration.Model{}, Prior{}, Sure},
		{.999, 200, nil, uniform, Sure}, {.999, 200, nil, half, Sure}, {.995, 200, nil, half, TooClose},
	} {
		a := answerOf(c.p, 1-c.p)
		a.Calibrated, a.Classes[0].Docs, a.Classes[1].Docs = c.calibrated, c.own, 20
		if class, reason := decide(Filter{Positive: "a", Prior: c.prior}, a); class != 0 || reason != c.want {
			t.Errorf("%+v: class %d, %q", c, class, reason)
		}
	}
}

// Without a Calibration a filter takes posteriors for what they are, and with a class that
// has no documents no answer is sure.
func TestZoneOfNothingScored(t *testing.T) {
	t.Parallel()
	d := Filter{Positive: "b"}
	for p, want := range map[float64]Reason{.05: Sure, .2: TooClose, .98: TooClose, .995: Sure} {
		if _, reason := decide(d, answerOf(1-p, p)); reason != want {
			t.Errorf("%v: %q, want %q", p, reason, want)
		}
	}
	gone := Filter{Positive: "z"}
	if class, reason := decide(gone, answerOf(.4, .6)); class != 1 || reason != Unlearned {
		t.Errorf("class %d, %q", class, reason)
	}
}

// With fewer than 10 documents scored of the class, or too few of all others, no rate is
// known, whatever the tail says: the class is not answered unless it is the most
// probable, and then unsure.
func TestRateOfFewScored(t *testing.T) {
	t.Parallel()
	odds := make([]float64, 99)
	for i := range odds {
		odds[i] = float64(i-90) / 10
	}
	for _, c := range []struct {
		own, others int
		rate        float64
		known       bool
	}{
		{10, 10, .5, true}, {10, 9, .5, false}, {9, 99, .5, false}, {500, 10, .25, false}, {500, 99, .031, true}, {500, 98, .03, false}, {0, 0, .5, false},
	} {
		fitted := &calibration.Model{Tails: map[count.ClassID]calibration.Tail{1: tailOf(c.own, odds[:c.others]...)}}
		d := FalsePositiveRate{Positive: "b", Rate: c.rate}
		for _, p := range [][]float64{{.001, .998, .001}, {.5, .45, .05}} {
			a := answerOf(p...)
			a.Calibrated = fitted
			class, reason := decide(d, a)
			wantClass, wantReason := 1, Sure
			switch {
			case !c.known && p[1] > .5:
				wantReason = UnknownRate
			case !c.known || c.rate < .1 && p[1] < .5:
				wantClass = 0
			}
			if class != wantClass || reason != wantReason {
				t.Errorf("%+v, %v: class %d, %q, want %d, %q", c, p, class, reason, wantClass, wantReason)
			}
		}
	}
}

// What is known of a document may be its attributes alone.
func TestAttributesAreEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		terms, attributes int
		want              Reason
	}{{0, 0, NoKnownTerm}, {0, 1, Sure}, {1, 0, Sure}} {
		a := answerOf(.9, .1)
		a.Terms, a.Attributes = c.terms, c.attributes
		if class, reason := decide(MostProbable{}, a); class != 0 || reason != c.want {
			t.Errorf("%d terms and %d attributes: class %d, %q", c.terms, c.attributes, class, reason)
		}
	}
}

// An answer that has earned just the precision that is wanted is given.
func TestPrecisionEarned(t *testing.T) {
	t.Parallel()
	var answers []calibration.Answered
	for i := range 400 {
		answers = append(answers, calibration.Answered{Class: 0, LogOdds: 1 + float64(i%4), Right: float64(min(i%8, 1))})
	}
	a := answerOf(.9, .1)
	if class, reason := decide(Precision{Share: .5}, a); class != 0 || reason != Unmeasured {
		t.Errorf("not calibrated: class %d, %q", class, reason)
	}
	a.Record = calibration.NewRecord(answers)
	if decide(Precision{Share: .5}, a); !(a.Earned > 0 && a.Earned < 1) {
		t.Fatalf("earned %v", a.Earned)
	}
	for share, want := range map[float64]Reason{a.Earned: Sure, math.Nextafter(a.Earned, 0): Sure, math.Nextafter(a.Earned, 1): Unearned} {
		if class, reason := decide(Precision{Share: share}, a); class != 0 || reason != want {
			t.Errorf("share %v of %v: class %d, %q", share, a.Earned, class, reason)
		}
	}
}

// A document of few known terms, as in another language, has earned nothing.
func TestPrecisionOfFewTerms(t *testing.T) {
	t.Parallel()
	var answers []calibration.Answered
	for range 400 {
		answers = append(answers, calibration.Answered{Class: 0, LogOdds: 1, Right: 1})
	}
	for _, c := range []struct {
		terms, attributes int
		want              Reason
	}{{1, 0, Unearned}, {49, 0, Unearned}, {50, 0, Sure}, {1, 1, Sure}} {
		a := answerOf(.9, .1)
		a.Record, a.Calibrated, a.Terms, a.Attributes = calibration.NewRecord(answers), &calibration.Model{Seen: 100}, c.terms, c.attributes
		if class, reason := decide(Precision{Share: .5}, a); class != 0 || reason != c.want || (a.Earned > 0) != (c.want == Sure) {
			t.Errorf("%d terms and %d attributes: class %d, %q, earned %v", c.terms, c.attributes, class, reason, a.Earned)
		}
	}
}

// Surely no spam is not yet surely one of several folders: that is for Otherwise to say. Beside one other
// class there is nothing left to say.
func TestFilterAmongFolders(t *testing.T) {
	t.Parallel()
	d := Filter{Positive: "a", Otherwise: Precision{.9}}
	three, two := answerOf(.0001, .6999, .3), answerOf(.0001, .9999)
	if class, reason := decide(d, three); class != 1 || reason != Unmeasured {
		t.Errorf("a folder of which nothing is known: %d, %q", class, reason)
	}
	if class, reason := decide(d, two); class != 1 || reason != Sure {
		t.Errorf("two classes: %d, %q", class, reason)
	}
	d.Otherwise = MostProbable{}
	if class, reason := decide(d, three); class != 1 || reason != Sure {
		t.Errorf("a folder that is sure: %d, %q", class, reason)
	}
}

func TestLogPrior(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		docs []uint64
		want []float64
	}{
		{nil, nil},
		{[]uint64{0}, []float64{math.Inf(-1)}},
		{[]uint64{0, 0}, []float64{math.Inf(-1), math.Inf(-1)}},
		{[]uint64{7}, []float64{0}},
		{[]uint64{100, 1}, []float64{math.Log(101. / 103), math.Log(2. / 103)}},
		{[]uint64{2, 0, 1}, []float64{math.Log(3. / 5), math.Inf(-1), math.Log(2. / 5)}},
	} {
		var classes []*count.Class
		for _, d := range test.docs {
			classes = append(classes, &count.Class{Docs: d})
		}
		got := LogPrior(classes)
		for c, want := range test.want {
			if got[c] != want && !(math.Abs(got[c]-want) <= 1e-15) {
				t.Errorf("logPrior(%v) = %v, want %v", test.docs, got, test.want)
			}
		}
	}
}
