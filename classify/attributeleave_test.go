package classify

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// blend returns a document of a few words and one attribute of each kind, drawn with
// the class in mind; now and then it lacks one.
func blend(c *Classifier, rng *rand.Rand, i, class int) Document {
	text := fmt.Sprintf("number w%d w%d w%d", class*3+rng.IntN(5), rng.IntN(9), i)
	if rng.IntN(8) == 0 {
		text = ""
	}
	d := c.Document([]byte(text))
	d.ID = ContentID(fmt.Append(nil, i, text))
	lacks := rng.IntN(12)
	for k, a := range []count.Attribute{
		{Name: "day", Kind: count.Category, Category: fmt.Sprint("d", (class*2+rng.IntN(4))%7)},
		{Name: "urgent", Kind: count.YesNo, Number: float64(rng.IntN(2+class) / 2 % 2)},
		{Name: "size", Kind: count.Real, Number: float64(class) + rng.NormFloat64()},
		{Name: "age", Kind: count.Uniform, Number: float64(10+5*class) * rng.Float64()},
		{Name: "sender", Kind: count.Category, Category: fmt.Sprint("s", rng.IntN(40))},
	} {
		if k != lacks {
			d.Attributes = append(d.Attributes, a)
		}
	}
	return d
}

// blended is a database of n documents in three classes, and the documents.
func blended(t testing.TB, n int, o Options) (*Classifier, []Document, []string) {
	t.Helper()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), o)
	rng := rand.New(rand.NewPCG(1, 2))
	var docs []Document
	var classes []string
	for i := range n {
		docs, classes = append(docs, blend(c, rng, i, i%3)), append(classes, fmt.Sprint("c", i%3))
	}
	for i, d := range docs {
		if _, err := c.Train(ctx, classes[i], d); err != nil {
			t.Fatal(err)
		}
	}
	return c, docs, classes
}

// A document is scored by its attributes as if it had never been learned: as the same
// component scores it when it has been forgotten.
func TestScoringForgetsAttributes(t *testing.T) {
	t.Parallel()
	c, docs, classes := blended(t, 60, Options{})
	var components []model.Component
	scored := map[count.DocID][]float64{}
	err := c.Store().View(func(s *store.Snapshot) error {
		totals, err := allTotals(s)
		if err != nil {
			return err
		}
		j := newLooScores(s, totals, []model.Stack{defaultStack().WithAttributes(totals, false)})
		components = j.components
		if len(components) != len(defaultStack().Components)+6 {
			t.Fatalf("%d components", len(components))
		}
		return s.Learned(nil, func(d *count.Document) error {
			before := len(j.docs)
			if err := j.add(d, count.ClassNamed(j.t.Classes, d.Class)); err != nil {
				return err
			}
			if len(j.docs) > before {
				scored[d.ID] = j.docs[before].scores
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(scored) < 55 {
		t.Fatalf("%d documents scored", len(scored))
	}
	for i, doc := range docs {
		if _, err := c.Forget(ctx, doc); err != nil {
			t.Fatal(err)
		}
		err := c.Store().View(func(s *store.Snapshot) error {
			totals, err := allTotals(s)
			if err != nil {
				return err
			}
			var e model.Evidence
			if err := readTerms(&e, s, doc.Bag, true); err != nil {
				return err
			}
			if err := e.ReadAttributes(s, totals.Attributes, nil, doc.Attributes); err != nil {
				return err
			}
			for m, component := range components {
				want := make([]float64, 3)
				if component.IsAttribute() || len(e.Rows) > 0 {
					component.Model.Prepare(totals).Score(&e, want)
				}
				for class, w := range want {
					w /= math.Pow(float64(max(len(e.Rows), 1)), component.Gamma)
					if got := scored[doc.ID]; got != nil && !near(got[m*3+class], w, 1e-8) {
						t.Errorf("document %d, %s, class %d: %v, want %v", i, component.Model.Name(), class, got[m*3+class], w)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Train(ctx, classes[i], doc); err != nil {
			t.Fatal(err)
		}
	}
}

// One by one, all at once and in another order give the same scores to the bit, as
// does forgetting what was learned beside them.
func TestAttributesInAnyOrder(t *testing.T) {
	t.Parallel()
	c, docs, classes := blended(t, 60, Options{Raw: true, Model: model.Attributes{}})
	other := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Raw: true, Model: model.Attributes{}})
	var b Batch
	for i := len(docs) - 1; i >= 0; i-- {
		if err := b.Train(classes[i], docs[i]); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		if err := b.Train("c1", blend(other, rng, 1000+i, i%3)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := other.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
	rng = rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		if _, err := other.Forget(ctx, blend(other, rng, 1000+i, i%3)); err != nil {
			t.Fatal(err)
		}
	}
	for i, doc := range docs {
		a, b := scoresOf(t, c, doc), scoresOf(t, other, doc)
		for k := range a {
			if a[k] != b[k] {
				t.Fatalf("document %d: %v and %v", i, a, b)
			}
		}
	}
}

// Explanations with attributes add up, and the attributes have a part in them.
func TestExplainedAttributes(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Raw: true}, {Raw: true, Model: model.Multinomial{}}, {Model: model.Attributes{}}} {
		c, docs, _ := blended(t, 90, o)
		for i, doc := range docs[:20] {
			e, err := c.Explain(ctx, doc)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Classify(ctx, doc)
			if err != nil {
				t.Fatal(err)
			}
			if e.LogOdds != r.LogOdds || len(e.Attributes) != r.Attributes || r.Attributes == 0 {
				t.Errorf("%+v: document %d: %v and %v, %d attributes", o, i, e.LogOdds, r.LogOdds, len(e.Attributes))
			}
			checkParts(t, fmt.Sprintf("%+v: document %d", o, i), e)
		}
	}
}

// Attributes that tell the class apart are used where words say nothing, and those
// that do not are given no weight.
func TestAttributesAreWeighed(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{})
	rng := rand.New(rand.NewPCG(5, 6))
	doc := func(i, class int) Document {
		d := c.Document(fmt.Appendf(nil, "words that say nothing %d", i))
		d.Attributes = []count.Attribute{
			{Name: "tells", Kind: count.Real, Number: float64(3*class) + rng.NormFloat64()},
			{Name: "says nothing", Kind: count.Real, Number: rng.NormFloat64()},
		}
		return d
	}
	for i := range 400 {
		if _, err := c.Train(ctx, fmt.Sprint("c", i%2), doc(i, i%2)); err != nil {
			t.Fatal(err)
		}
	}
	k, err := c.Calibrate(ctx, 0)
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	info, err := c.Attributes(ctx)
	if err != nil || len(info) != 2 {
		t.Fatal(info, err)
	}
	nothing, tells := info[0], info[1]
	if !tells.Fitted || !nothing.Fitted || tells.Weight < .5 || nothing.Weight > .5*tells.Weight {
		t.Errorf("weights %v %v and %v %v", tells.Weight, tells.Fitted, nothing.Weight, nothing.Fitted)
	}
	// Two normals of deviation 1 that are 3 apart have 2 Φ(-1.5) = .134 in common.
	if tells.Documents != 400 || math.Abs(tells.Overlap-.134) > .05 || nothing.Overlap < .9 {
		t.Errorf("%d documents, overlaps %v and %v", tells.Documents, tells.Overlap, nothing.Overlap)
	}
	right := 0
	for i := range 400 {
		r, err := c.Classify(ctx, doc(1000+i, i%2))
		if err != nil {
			t.Fatal(err)
		}
		if r.Class == fmt.Sprint("c", i%2) {
			right++
		}
	}
	// Two normals three deviations apart: Φ(1.5) = .933 can be told.
	if right < 360 {
		t.Errorf("%d of 400 right", right)
	}
}

// An attribute of another kind than was counted is refused where documents are asked
// about too, and so is what cannot be counted.
func TestAskedAttributes(t *testing.T) {
	t.Parallel()
	c, docs, _ := blended(t, 30, Options{})
	for _, a := range []count.Attribute{
		{Name: "size", Kind: count.Category, Category: "large"},
		{Name: "size", Kind: count.Real, Number: math.NaN()},
		{Name: "size", Kind: count.Real, Number: math.Inf(1)},
	} {
		doc := Document{Attributes: []count.Attribute{a}}
		_, err := c.Classify(ctx, doc)
		var kind *count.AttributeError
		if !errors.As(err, &kind) && !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	twice := docs[0]
	twice.Attributes = append(twice.Attributes[:len(twice.Attributes):len(twice.Attributes)], twice.Attributes[0])
	if _, err := c.Classify(ctx, twice); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("an attribute given twice: %v", err)
	}
	for _, a := range []count.Attribute{
		{Name: "nobody has it", Kind: count.Real, Number: 1},
		{Name: "day", Kind: count.Category, Category: "never"},
	} {
		r, err := c.Classify(ctx, Document{Attributes: []count.Attribute{a}})
		if err != nil || r.Attributes != 0 || r.Reason != decision.NoKnownTerm {
			t.Errorf("%+v: %+v, %v", a, r, err)
		}
	}
}
