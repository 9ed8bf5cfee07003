package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// answerOf is what there is to decide from where the classes a, b, … have the
// given probabilities.
func answerOf(probabilities ...float64) *answer {
	a := &answer{known: 3, probabilities: probabilities}
	for c, p := range probabilities {
		a.classes = append(a.classes, &count.Class{ID: count.ClassID(c), Name: string(rune('a' + c)), Docs: 10})
		a.scores = append(a.scores, math.Log(p))
		a.order = append(a.order, c)
	}
	slices.SortStableFunc(a.order, func(x, y int) int { return int(math.Copysign(1, probabilities[y]-probabilities[x])) })
	return a
}

// decide returns the answer of a decision that abstains from none.
func decide(d Decision, a *answer) (class int, reason Reason) { return a.decide(d, &Abstain{}) }

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
			if got := a.costs.expected(a.probabilities, said); !near(got, want, 1e-12) {
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
	a.order = []int{2, 1}
	a.probabilities = []float64{nan, nan, nan}
	if class, _ := decide(LeastCost{}, a); class != 2 {
		t.Errorf("class %d, which has no documents", class)
	}
}

var nan = math.NaN()

func TestReasons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		d      Decision
		k      Abstain
		change func(*answer)
		p      []float64
		want   Reason
	}{
		{name: "sure", p: []float64{.6, .4}, want: Sure},
		{name: "no known term", p: []float64{.6, .4}, change: func(a *answer) { a.known = 0 }, want: NoKnownTerm},
		{name: "before all others", k: Abstain{MinTerms: 9, Threshold: 1}, p: []float64{.5, .5}, change: func(a *answer) { a.known = 0 }, want: NoKnownTerm},
		{name: "few terms", k: Abstain{MinTerms: 4}, p: []float64{.6, .4}, want: FewTerms},
		{name: "enough terms", k: Abstain{MinTerms: 3}, p: []float64{.6, .4}, want: Sure},
		{name: "few documents", k: Abstain{MinDocuments: 11}, p: []float64{.6, .4}, want: FewDocuments},
		{name: "enough documents", k: Abstain{MinDocuments: 10}, p: []float64{.6, .4}, want: Sure},
		{name: "tie", p: []float64{.4, .2, .4}, want: Tie},
		{name: "one class", p: []float64{1}, want: Sure},
		{name: "below", k: Abstain{Threshold: .61}, p: []float64{.6, .4}, want: BelowThreshold},
		{name: "at threshold", k: Abstain{Threshold: .6}, p: []float64{.6, .4}, want: Sure},
		{name: "costs and threshold", d: LeastCost{}, k: Abstain{Threshold: .7}, p: []float64{.6, .4}, want: BelowThreshold},
		{name: "a tie that costs decide", d: LeastCost{Costs: Costs{Pairs: map[[2]string]float64{{"a", "b"}: 2}}}, p: []float64{.5, .5}, want: Sure},
		{name: "no tail", d: FalsePositiveRate{Positive: "a", Rate: .1}, p: []float64{.6, .4}, want: UnknownRate},
		{name: "no tail, other class", d: FalsePositiveRate{Positive: "b", Rate: .1}, p: []float64{.6, .4}, want: Sure},
		{name: "positive class without documents", d: FalsePositiveRate{Positive: "x", Rate: .1}, p: []float64{.6, .4}, want: Sure},
		{name: "no other class", d: FalsePositiveRate{Positive: "a", Rate: .1}, p: []float64{1}, want: UnknownRate},
	} {
		a := answerOf(c.p...)
		if c.change != nil {
			c.change(a)
		}
		if c.d == nil {
			c.d = MostProbable{}
		}
		if class, got := a.decide(c.d, &c.k); got != c.want || class != 0 {
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
		a.calibrated = fitted
		a.scores = []float64{math.Log(.9), odds, math.Log(.1)}
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
	at.calibrated, at.scores = fitted, []float64{0, 4}
	at.order = []int{1, 0}
	if class, reason := decide(d, at); class != 1 || reason != HeldBack {
		t.Errorf("log-odds of the cut-off itself: class %d, %q, want %q", class, reason, HeldBack)
	}
	a := answerOf(.9, .1)
	a.calibrated = fitted
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
	return calibration.NewTail(make([]float64, own), list, false)
}

// When the share of a class changes from b to b', the probability of a document
// to be of it changes from p to
//
//	p' = b' (p - pb) / (b - pb + b'p - bb')
//
// (Elkan, 2001, theorem 2).
func TestPriorOfTwoClasses(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Model: model.Multinomial{}, Raw: true}, {Model: model.Bernoulli{}}, {}} {
		path := filepath.Join(t.TempDir(), "test.polya")
		o.Store.Ledger = count.LedgerFull
		learn := openTest(t, path, o)
		for i := range 40 {
			train(t, learn, []string{"ham", "ham", "ham", "spam"}[i%4], fmt.Sprintf("common word%d word%d %s", i%7, i%5, []string{"offer", "meeting", "meeting offer"}[i%3]))
		}
		learn.Close()
		texts := []string{"common offer", "meeting word1", "word3 word4 common", "unknown", ""}
		var before []float64
		c := openTest(t, path, o)
		for _, text := range texts {
			r := ask(t, c, text)
			before = append(before, r.Of("spam"))
		}
		c.Close()
		base := (10. + 1) / (40 + 2) // what an empty document gives
		for _, prior := range []string{"uniform", "ml", "dirichlet:5", "spam=0.9", "ham=0.9", "spam=0.25,ham=0.75", "spam=0.001"} {
			p, err := ParsePrior(prior)
			if err != nil {
				t.Fatal(err)
			}
			o.Decision = MostProbable{Prior: p}
			share, given := p.Given["spam"]
			if ham, other := p.Given["ham"]; other && !given {
				share = 1 - ham
			} else if !given {
				share = map[string]float64{"uniform": .5, "ml": 10. / 40, "dirichlet:5": 15. / 50}[prior]
			}
			c := openTest(t, path, o)
			for i, text := range texts {
				p := before[i]
				want := share * (p - p*base) / (base - p*base + share*p - base*share)
				r := ask(t, c, text)
				if got := r.Of("spam"); !near(got, want, 1e-12) {
					t.Errorf("%s, prior %s, %q: %v, want %v (from %v)", c.Model().Name(), prior, text, got, want, p)
				}
			}
			c.Close()
		}
	}
}

// Shares of what is not given: in proportion to what was learned, or equal.
func TestPriorShift(t *testing.T) {
	t.Parallel()
	totals := model.Totals{Classes: []*count.Class{{Name: "a", Docs: 5}, {Name: "b", Docs: 2}, {Name: "c", Docs: 0}, {Name: "d", Docs: 0}, {Name: "e", Docs: 1}}}
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
		shift := p.shift(totals)
		for i, class := range []int{0, 1, 4} {
			learned := []float64{6. / 11, 3. / 11, 2. / 11}[i]
			if got := learned * math.Exp(shift[class]); !near(got, c.want[i], 1e-12) {
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

func TestDecisionRefused(t *testing.T) {
	t.Parallel()
	options := []Options{
		{Abstain: Abstain{Threshold: -.1}}, {Abstain: Abstain{Threshold: 1.1}}, {Abstain: Abstain{Threshold: nan}}, {Abstain: Abstain{MinTerms: -1}},
	}
	for _, d := range []Decision{
		Filter{}, FalsePositiveRate{Rate: .1}, FalsePositiveRate{Positive: "a"}, FalsePositiveRate{Positive: "a", Rate: -1},
		FalsePositiveRate{Positive: "a", Rate: 1}, FalsePositiveRate{Positive: "a", Rate: nan},
		LeastCost{Costs: Costs{Unsure: -1}}, LeastCost{Costs: Costs{Pairs: map[[2]string]float64{{"a", "b"}: nan}}},
	} {
		options = append(options, Options{Decision: d})
	}
	for _, p := range []Prior{
		{Given: map[string]float64{"a": 2}}, {Alpha: -1}, {Alpha: math.Inf(1)}, {Uniform: true, Alpha: 1},
		{MaximumLikelihood: true, Alpha: 1}, {MaximumLikelihood: true, Uniform: true},
	} {
		options = append(options, Options{Decision: MostProbable{Prior: p}}, Options{Decision: LeastCost{Prior: p}}, Options{Decision: Filter{Positive: "a", Prior: p}})
	}
	for _, o := range options {
		if _, err := Open(filepath.Join(t.TempDir(), "test.polya"), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
