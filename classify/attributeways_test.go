package classify

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// twoClasses is a database of real values by class, and of a class "lacks" whose
// document has no attribute.
func twoClasses(t *testing.T, m model.Attributes, kind count.Kind, values map[string][]float64) *Classifier {
	t.Helper()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true, Model: m})
	id := 0
	for _, class := range []string{"a", "b", "lacks"} {
		docs := []Document{rowOf(t, 1000+len(class))}
		for _, x := range values[class] {
			d := rowOf(t, id)
			d.Attributes = []count.Attribute{{Name: "x", Kind: kind, Number: x}}
			docs, id = append(docs, d), id+1
		}
		if class != "lacks" {
			docs = docs[1:]
		}
		if _, err := c.Train(ctx, class, docs...); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// densities are the scores of x without the priors.
func densities(t *testing.T, c *Classifier, kind count.Kind, x float64) []float64 {
	t.Helper()
	doc := Document{Attributes: []count.Attribute{{Name: "x", Kind: kind, Number: x}}}
	scores := scoresOf(t, c, doc)
	err := c.db.View(func(s *store.Snapshot) error {
		for k, p := range decision.LogPrior(s.Classes()) {
			scores[k] -= p
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// The default density of a real is Student's t: scipy 1.10.1's stats.t.logpdf with 2a
// degrees of freedom, at μ, of scale √(b(κ+1)/(aκ)), worked out by numpy for 1, 2, 4 and
// 3, 9, with κ₀ = 1, a₀ = ½, μ₀ and b₀/a₀ mean and variance of all five. A class without
// the attribute has that prior's: ν = 1, at 3.8 of scale √(2 × 7.76).
func TestDefaultDensity(t *testing.T) {
	t.Parallel()
	c := twoClasses(t, model.Attributes{}, count.Real, map[string][]float64{"a": {1, 2, 4}, "b": {3, 9}})
	for x, want := range map[float64][2]float64{
		2.5: {-1.725900569501698, -2.6402335708768936},
		10:  {-5.208633704914613, -3.193301263636087},
	} {
		got := densities(t, c, count.Real, x)
		cauchy := -math.Log(math.Pi*math.Sqrt(2*7.76)) - math.Log1p((x-3.8)*(x-3.8)/(2*7.76))
		if !near(got[0], want[0], 1e-12) || !near(got[1], want[1], 1e-12) || !near(got[2], cauchy, 1e-12) {
			t.Errorf("%v: %v, want %v and %v", x, got, want, cauchy)
		}
	}
}

// A class of which no document has the attribute has the density, or the share, of all
// classes together.
func TestClassWithoutAttribute(t *testing.T) {
	t.Parallel()
	c := twoClasses(t, model.Attributes{}, count.YesNo, map[string][]float64{"a": {1, 1, 0}, "b": {0, 0}})
	const alpha = model.DefaultAttributeAlpha
	if got, want := densities(t, c, count.YesNo, 1)[2], math.Log((2+alpha)/(5+2*alpha)); !near(got, want, 1e-12) {
		t.Errorf("yes: %v, want %v", got, want)
	}
	// Uniforms: as after one document with the greatest value of all, 1/(2m) up to it.
	c = twoClasses(t, model.Attributes{}, count.Uniform, map[string][]float64{"a": {1, 2}, "b": {8}})
	got := densities(t, c, count.Uniform, 4)
	for k, want := range []float64{2. / 3 * 4 / 64, 1. / 16, 1. / 16} { // 2·2²/(3·4³); 1/(2·8)
		if !near(math.Exp(got[k]), want, 1e-12) {
			t.Errorf("uniform, class %d: %v, want %v", k, math.Exp(got[k]), want)
		}
	}
}

// With a background λ an attribute is worth log(1 + (1-λ)/(λ π)) at most, however far
// out its value lies, and what is in the middle is hardly changed.
func TestBackground(t *testing.T) {
	t.Parallel()
	values := map[string][]float64{"a": {0, 0, 0, 0, 0, 0, 0, 0}, "b": {0, 0, 0, 0, 0, 0, 5, 9}}
	plain := twoClasses(t, model.Attributes{}, count.Real, values)
	mixed := twoClasses(t, model.Attributes{Background: .1}, count.Real, values)
	far := densities(t, mixed, count.Real, 7)
	if worth, most := far[1]-far[0], math.Log(1+.9/(.1*.5)); worth > most || worth < most-.1 {
		t.Errorf("worth %v, at most %v", worth, most)
	}
	if p := densities(t, plain, count.Real, 7); p[1]-p[0] < 2*(far[1]-far[0]) {
		t.Errorf("without: %v", p)
	}
	if far[2] != 0 {
		t.Errorf("a class without the attribute: %v", far)
	}
}

// Overlaps by hand: shares ½ ½ against 1 0 have ½ in common, and pairs of classes count
// by their documents.
func TestAlike(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	id := 0
	learn := func(class string, n int, pairs ...any) {
		for range n {
			if _, err := c.Train(ctx, class, rowOf(t, id, pairs...)); err != nil {
				t.Fatal(err)
			}
			id++
		}
	}
	learn("a", 2, "day", "mon", "own", "x", "yes", true)
	learn("a", 2, "day", "tue", "own", "y", "yes", false)
	learn("b", 2, "day", "mon", "own", "z", "yes", true)
	learn("c", 6, "day", "wed", "own", "w", "yes", false)
	for i := range 6 {
		learn("c", 1, "number", fmt.Sprint("n", i))
		learn("b", 1, "number", fmt.Sprint("m", i))
	}
	info, err := c.Attributes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"day": .5 * 4 * 2 / (4*2 + 4*6 + 2*6), // only a and b meet, in half
		"own": 0,
		"yes": (.5*4*2 + .5*4*6 + 0*2*6) / (4*2 + 4*6 + 2*6),
		// Every value is of one document alone: nothing that would come again.
		"number": 1,
	}
	for _, a := range info {
		if !near(a.Overlap, want[a.Name], 1e-12) {
			t.Errorf("%s: %v, want %v", a.Name, a.Overlap, want[a.Name])
		}
	}
}

// Weights are kept by the names of attributes: one that comes later leaves those of the
// others as they are, and has its default; one that changes its kind is another.
func TestWeightsGoByName(t *testing.T) {
	t.Parallel()
	c, _, _ := blended(t, 90, Options{})
	if _, err := c.Calibrate(ctx, 0); err != nil {
		t.Fatal(err)
	}
	weights := func() map[string]float64 {
		all := map[string]float64{}
		err := c.Store().View(func(s *store.Snapshot) error {
			totals, err := allTotals(s)
			if err != nil {
				return err
			}
			stack, _ := c.bind(source{s, false}, totals, Auto{})
			for _, part := range stack.Components {
				all[part.Model.Name()] = part.Weight
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := weights()
	for _, name := range []string{"aaa", "mmm", "zzz"} {
		if _, err := c.Train(ctx, "c0", rowOf(t, 7000+len(name)+int(name[0]), name, 3)); err != nil {
			t.Fatal(err)
		}
	}
	after := weights()
	if len(after) != len(before)+3 {
		t.Fatalf("%d components, then %d", len(before), len(after))
	}
	for name, w := range before {
		if after[name] != w {
			t.Errorf("%s had %v, has %v", name, w, after[name])
		}
	}
	for name, w := range after {
		if _, had := before[name]; !had && w != .2 {
			t.Errorf("%s is new and has %v", name, w)
		}
	}
}

// Every model heeds attributes.
func TestWaysToAsk(t *testing.T) {
	t.Parallel()
	c, docs, _ := blended(t, 200, Options{})
	if _, err := c.Calibrate(ctx, 0); err != nil {
		t.Fatal(err)
	}
	models := []Model{Auto{}, model.Multinomial{}, model.Attributes{}}
	heard, moved := make([]int, len(models)), make([]int, len(models))
	for _, doc := range docs[:40] {
		bare := doc
		bare.Attributes = nil
		with, without := answersOf(t, c, doc, models...), answersOf(t, c, bare, models...)
		for i := range models {
			heard[i] += with[i].Attributes
			if with[i].LogOdds != without[i].LogOdds || with[i].Class != without[i].Class {
				moved[i]++
			}
		}
	}
	for i, m := range models {
		if heard[i] == 0 || moved[i] <= 20 {
			t.Errorf("%s: heard %d, moved %d of 40", m.Name(), heard[i], moved[i])
		}
	}
}

// Of very many attributes all share a weight.
func TestManyAttributesShareAWeight(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	for i := range 60 {
		var pairs []any
		for k := range 80 {
			pairs = append(pairs, fmt.Sprintf("a%02d", k), float64(i%2*(k%3))+math.Sin(float64(i*k)))
		}
		if _, err := c.Train(ctx, fmt.Sprint("c", i%2), rowOf(t, i, pairs...)); err != nil {
			t.Fatal(err)
		}
	}
	k, err := c.Calibrate(ctx, 0)
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	if names := k.Models[0].Components; len(names) != len(defaultStack().Components)-9 || // no fields, no channels
		names[len(names)-2] != "attributes:jm=0.05" || names[len(names)-1] != "attribute layer" {
		t.Errorf("components %v", names)
	}
	info, err := c.Attributes(ctx)
	if err != nil || len(info) != 80 || !info[0].Fitted || info[0].Weight != info[79].Weight || info[0].Weight == 0 {
		t.Errorf("%d attributes, %+v, %v", len(info), info[0], err)
	}
}

// A document that is remembered but was taken away since, behind the Classifier's back,
// is passed over where others are scored.
func TestStaleAttributesAreNotScored(t *testing.T) {
	t.Parallel()
	for _, kind := range []count.Kind{count.Real, count.YesNo, count.Category} {
		attribute := func(i int, kind count.Kind) count.Attribute {
			return count.Attribute{Name: "x", Kind: kind, Number: float64(i % 2), Category: fmt.Sprint("v", i%2)}
		}
		c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Store: store.Options{Ledger: count.LedgerDigest}})
		for i := range 60 {
			d := rowOf(t, i)
			d.Attributes = []count.Attribute{attribute(i, kind)}
			if _, err := c.Train(ctx, fmt.Sprint("c", i%2), d); err != nil {
				t.Fatal(err)
			}
		}
		var b Batch
		for i := range 60 {
			d := rowOf(t, i)
			d.Attributes = []count.Attribute{attribute(i, kind)}
			if err := b.Forget(d); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Store().Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		for i := range 60 {
			d := rowOf(t, 100+i)
			d.Attributes = []count.Attribute{attribute(i/2, count.YesNo)}
			if err := b.Train(fmt.Sprint("c", i%2), d); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Store().Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Calibrate(ctx, 0); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A real as far from all others as can be has finite parts, and its explanation adds up.
func TestExtremeReal(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true, Model: model.Attributes{}})
	for i := range 20 {
		if _, err := c.Train(ctx, []string{"a", "b"}[i%2], rowOf(t, i, "x", float64(i)*1e-150)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := c.Explain(ctx, rowOf(t, 99, "x", count.MaxReal))
	if err != nil || math.IsInf(e.LogOdds, 0) || math.IsNaN(e.LogOdds) {
		t.Fatal(e.LogOdds, err)
	}
	checkParts(t, "x", e)
}

// Where attributes alone tell classes from each other, their overlap is not taken for wrong labels. Of
// the men on the Titanic 25 of 171 in the second class survived and 75 of 493 in the third: as their share
// falls no further, one in eight of those who died looked like one who survived. The counts are those of
// the list titanic3 (F. E. Harrell and T. Cason, 2002).
func TestOverlapIsNoWrongLabel(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	id := 0
	row := func(sex, class string) Document {
		id++
		d := rowOf(t, id)
		d.Attributes = []count.Attribute{{Name: "sex", Kind: count.Category, Category: sex}, {Name: "class", Kind: count.Category, Category: class}}
		return d
	}
	var b Batch
	for _, g := range []struct {
		sex, class    string
		survived, all int
	}{{"f", "1", 139, 144}, {"f", "2", 94, 106}, {"f", "3", 106, 216}, {"m", "1", 61, 179}, {"m", "2", 25, 171}, {"m", "3", 75, 493}} {
		for i := range g.all {
			class := "died"
			if i < g.survived {
				class = "survived"
			}
			if err := b.Train(class, row(g.sex, g.class)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := c.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if k := calibrated(t, c); len(k.WrongLabels) > 0 {
		t.Errorf("rates of wrong labels %v", k.WrongLabels)
	}
	r, err := c.Classify(ctx, row("m", "3"))
	if err != nil {
		t.Fatal(err)
	}
	if died := r.Posterior[0]; died.Class != "died" || math.Abs(died.Probability-418./493) > .06 {
		t.Errorf("men of the third class: %+v, want that %.3f died", r.Posterior, 418./493)
	}
}
