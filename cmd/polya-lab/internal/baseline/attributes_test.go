package baseline

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// parcel is a document without words: NaN, "" and -1 are missing.
type parcel struct {
	class  string
	size   float64
	colour string
	urgent float64
}

var missing = math.NaN()

var parcels = []parcel{
	{"a", 1.5, "red", 1}, {"a", 2, "red", 0}, {"a", missing, "blue", 1}, {"a", 3.5, "red", -1}, {"a", 2.5, "green", 1},
	{"b", 4, "blue", 0}, {"b", 3, "blue", 0}, {"b", 5.5, "", 1}, {"b", 4.5, "red", 0}, {"b", 3.5, "blue", 0},
	{"c", 6, "green", 1}, {"c", 5, "blue", -1}, {"c", 7.5, "green", 0}, {"c", missing, "green", 1}, {"c", 4, "odd", 1},
}

var asked = []parcel{{"a", 2, "red", 1}, {"b", 4, "blue", 0}, {"c", 9, "green", -1}, {"a", missing, "odd", 1}, {"c", 5, "", -1}}

func (p parcel) add(c *evaluation.Corpus, i int, test bool) {
	var attributes []count.Attribute
	if !math.IsNaN(p.size) {
		attributes = append(attributes, count.Attribute{Name: "size", Kind: count.Real, Number: p.size})
	}
	if p.colour != "" {
		attributes = append(attributes, count.Attribute{Name: "colour", Kind: count.Category, Category: p.colour})
	}
	if p.urgent >= 0 {
		attributes = append(attributes, count.Attribute{Name: "urgent", Kind: count.YesNo, Number: p.urgent})
	}
	name := fmt.Sprint(i, test)
	c.Add(evaluation.Doc{Path: name, ID: classify.ContentID([]byte(name)), Test: test}, p.class, new(tokenize.Bag), attributes)
}

func parcelCorpus() *evaluation.Corpus {
	c := new(evaluation.Corpus)
	for i, p := range parcels {
		p.add(c, i, false)
	}
	for i, p := range asked {
		p.add(c, i, true)
	}
	return c
}

func askLogistic(t *testing.T, c *evaluation.Corpus) *evaluation.Model {
	t.Helper()
	o := evaluation.Options{Models: []classify.Model{model.Attributes{}}, Baseline: Logistic{Variance: 2}, Analyzer: tokenize.DefaultSpec, Seed: 1}
	r, err := evaluation.HeldOut(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Models[len(r.Models)-1]
}

// The numbers were printed by scikit-learn 1.2.1, of rows of the standardised size (0 where
// it is missing; m and sd those of the others), of each of red, blue and green, and of yes
// and no:
//
//	row = lambda size, colour, urgent: ([0 if size is None else (size-m)/sd]
//	    + [float(colour == c) for c in ("red", "blue", "green")] + [float(urgent == u) for u in (1, 0)])
//	LogisticRegression(C=2, multi_class="multinomial", solver="newton-cg", tol=1e-13, max_iter=100000)
func TestLogisticOnAttributesIsSklearns(t *testing.T) {
	m := askLogistic(t, parcelCorpus())
	for i, want := range [][]float64{
		{.9614596061967488, .026551611443116085, .01198878236013521},
		{.08816934097860804, .787875003608814, .12395565541257798},
		{.00016323043878363393, .02137140386096108, .9784653657002553},
		{.3566014359412052, .27250806659092414, .3708904974678707},
		{.0867020735608445, .30792898302911703, .6053689434100384},
	} {
		for c, p := range want {
			near(t, fmt.Sprintf("document %d, class %d", i, c), m.Results.Answers[i].Posterior[c], p, 2e-5)
		}
	}
}

// Numbers of any size are features: what is learned does not depend on the unit, and no
// value of a document asked about makes a score infinite.
func TestAttributesOfAnySize(t *testing.T) {
	want := askLogistic(t, parcelCorpus()).Results.Answers
	for _, unit := range []float64{1e-140, 1e149, -1} {
		c := parcelCorpus()
		for i := range c.Docs {
			for k := range c.Docs[i].Attributes {
				if a := &c.Docs[i].Attributes[k]; a.Kind == count.Real {
					a.Number *= unit
				}
			}
		}
		got := askLogistic(t, c).Results.Answers
		for i := range got {
			near(t, fmt.Sprintf("unit %v, document %d", unit, i), got[i].Posterior[0], want[i].Posterior[0], 2e-5)
		}
	}
	c := parcelCorpus()
	for i := range c.Docs {
		for k := range c.Docs[i].Attributes {
			if a := &c.Docs[i].Attributes[k]; a.Kind == count.Real && c.Docs[i].Test {
				a.Number = 3e150
			}
		}
	}
	sum := 0.
	for _, p := range askLogistic(t, c).Results.Answers[0].Posterior {
		sum += p
	}
	near(t, "sum of probabilities", sum, 1, 1e-12)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
