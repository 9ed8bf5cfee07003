package classify

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// dependent returns rows whose class is told by the small difference of two columns alone.
func dependent(n int) (docs []Document, classes []string) {
	rng := rand.New(rand.NewPCG(11, 12))
	for i := range n {
		x, own := rng.NormFloat64(), .2*rng.NormFloat64()
		doc := Document{ID: count.DocID{byte(i), byte(i >> 8), 9}, Attributes: []count.Attribute{
			count.AttributeOf("first", x), count.AttributeOf("second", x+own), count.AttributeOf("other", fmt.Sprint(i%3)), count.AttributeOf("yes", i%2 == 0),
		}}
		if i%7 == 0 {
			doc.Attributes = doc.Attributes[:3]
		}
		docs, classes = append(docs, doc), append(classes, map[bool]string{false: "lower", true: "upper"}[own > 0])
	}
	return docs, classes
}

// What is learned of attributes depends on the documents when it is made, on neither their order nor
// on those that were forgotten. It answers where columns depend on each other, before and after
// calibrating and by leave-one-out, and its parts of explanations add up.
func TestAttributeLayer(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	docs, classes := dependent(350)
	rng := rand.New(rand.NewPCG(13, 14))
	var first []byte
	for round := range 3 {
		c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Fitting: FitByHand})
		trainDocuments(t, c, "upper", docs[slices.Index(classes, "upper")]) // so that ids of classes are the same
		if round == 1 {
			trainDocuments(t, c, "lower", docs[349])
		}
		for _, i := range rng.Perm(250) {
			trainDocuments(t, c, classes[i], docs[i])
		}
		if round == 1 {
			if _, err := c.Forget(t.Context(), docs[349]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Calibrate(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		data, weight := layerState(t, c)
		if weight == 0 || first != nil && !bytes.Equal(data, first) {
			t.Fatalf("round %d: a weight of %v, and %d bytes that are others", round, weight, len(data))
		}
		first = data
		right := 0
		for i, doc := range docs[250:] {
			e, err := c.Explain(t.Context(), doc)
			if err != nil {
				t.Fatal(err)
			}
			if e.Class == classes[250+i] {
				right++
			}
			sum := e.Prior.LogOdds + e.Length.LogOdds - e.Spread
			for _, a := range e.Attributes {
				sum += a.LogOdds
			}
			if math.Abs(sum-e.LogOdds) > 1e-9*(1+math.Abs(e.LogOdds)) || math.Abs(e.Length.LogOdds) > 1e-6 && !fittedVariance(t, c) {
				t.Errorf("parts of %v, %v of them length, add up to %v", e.LogOdds, e.Length.LogOdds, sum)
			}
		}
		if right < 90 {
			t.Errorf("%d of 100 answers are right", right)
		}
		right, all := 0, 0
		err := c.LeaveOut(t.Context(), 250, func(id count.DocID, class string, posterior []ClassProbability) error {
			all++
			for _, p := range posterior {
				if p.Class == class && p.Probability > .5 {
					right++
				}
			}
			return nil
		})
		if err != nil || 10*right < 9*all {
			t.Errorf("left out, %d of %d are right, %v", right, all, err)
		}
	}
}

// fittedVariance reports whether answers are shrunk, which explanations count as length.
func fittedVariance(t *testing.T, c *Classifier) bool {
	k, err := c.Calibration()
	if err != nil {
		t.Fatal(err)
	}
	m := k.Model(stackName)
	return m.Variance > 0 || m.Floor > 0
}

// Beside words too, attributes are learned together: here neither words nor any attribute alone tell the class.
func TestAttributeLayerBesideWords(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	docs, classes := dependent(300)
	rng := rand.New(rand.NewPCG(15, 16))
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Fitting: FitByHand})
	for i := range docs {
		worded := someWords(rng, i%2, 20, 300)
		worded.Attributes = docs[i].Attributes
		if docs[i] = worded; i < 200 {
			trainDocuments(t, c, classes[i], worded)
		}
	}
	if _, err := c.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, doc := range docs[200:] {
		if e, err := c.Explain(t.Context(), doc); err != nil {
			t.Fatal(err)
		} else if e.Class == classes[200+i] {
			right++
		}
	}
	if right < 85 {
		t.Errorf("%d of 100 answers are right", right)
	}
}
