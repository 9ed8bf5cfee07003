package layer

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// table returns documents whose class depends on the difference of two numbers, and the totals of their attributes.
func table(n int) (docs []*count.Document, classes []int, totals []*count.AttributeTotals) {
	rng := rand.New(rand.NewPCG(3, 4))
	a, b, c := &count.AttributeTotals{Name: "a", Kind: count.Real}, &count.AttributeTotals{Name: "b", Kind: count.Real}, &count.AttributeTotals{Name: "c", Kind: count.Category, Values: 3}
	for _, t := range []*count.AttributeTotals{a, b, c} {
		t.Classes = make([]count.AttributeCell, 1)
		totals = append(totals, t)
	}
	for i := range n {
		x, own := rng.NormFloat64(), rng.NormFloat64()
		doc := &count.Document{ID: count.DocID{byte(i), byte(i >> 8), 7}}
		for k, v := range []float64{x, x + own/5} {
			cell := &totals[k].Classes[0]
			cell.N++
			cell.Sum, cell.Squares = cell.Sum.Add(count.ExactOf(v)), cell.Squares.Add(count.ExactOf(v).Mul(count.ExactOf(v)))
			doc.Attributes = append(doc.Attributes, count.Attribute{Name: totals[k].Name, Kind: count.Real, Number: v})
		}
		doc.Attributes = append(doc.Attributes, count.Attribute{Name: "c", Kind: count.Category, Category: fmt.Sprint(i % 3)})
		class := 0
		if own+rng.NormFloat64()/4 > 0 {
			class = 1
		}
		docs, classes = append(docs, doc), append(classes, class)
	}
	return docs, classes, totals
}

// learnTable learns documents in this order, and returns their scores.
func learnTable(t *testing.T, docs []*count.Document, classes, order []int, totals []*count.AttributeTotals) (*Weights, [][]float64) {
	l := New(2, new(Terms))
	l.Columns = NewColumns(totals, nil)
	scores := make([][]float64, len(docs))
	for _, i := range order {
		l.Add(docs[i], nil, classes[i], nil, func(s []float64) { scores[i] = slices.Clone(s[2*Kinds:]) })
	}
	return l.Learn(t.Context(), uint64(len(docs)), nil), scores
}

// The order of the documents makes no difference. A document is scored by what was not learned from it
// or others of its part: if some of these have other classes, only the documents of other parts have
// other scores.
func TestAttributesAreScoredBeforeTheyAreLearned(t *testing.T) {
	t.Parallel()
	docs, classes, totals := table(400)
	rng := rand.New(rand.NewPCG(5, 6))
	order := rng.Perm(len(docs))
	w, scores := learnTable(t, docs, classes, order, totals)
	right := 0
	for i, s := range scores {
		if (s[1] > s[0]) == (classes[i] == 1) {
			right++
		}
	}
	if right < 360 {
		t.Errorf("%d of 400 documents are scored rightly", right)
	}
	again, others := learnTable(t, docs, classes, rng.Perm(len(docs)), totals)
	ids := []count.ClassID{1, 2}
	if !slices.Equal(w.Marshal(ids), again.Marshal(ids)) || !slices.EqualFunc(scores, others, slices.Equal) {
		t.Error("another order of the same documents gave other weights or scores")
	}
	changed, few := slices.Clone(classes), 3
	for i := range changed {
		if Key(docs[i].ID)%folds == 0 && few > 0 {
			changed[i] = 1 - changed[i]
			few--
		}
	}
	_, others = learnTable(t, docs, changed, order, totals)
	for i := range changed {
		if same := slices.Equal(scores[i], others[i]); same != (Key(docs[i].ID)%folds == 0) {
			t.Errorf("document %d of part %d: %v, and with other classes in part 0 %v", i, Key(docs[i].ID)%folds, scores[i], others[i])
		}
	}
}

// One mistyped number does not make all others of its column look equal, also if most of these are.
func TestMistypedNumber(t *testing.T) {
	t.Parallel()
	docs, classes, totals := table(400)
	for i, doc := range docs {
		if doc.Attributes[2].Category != "0" {
			doc.Attributes[0].Number, doc.Attributes[1].Number, classes[i] = 0, 0, 0
		}
	}
	for _, wrong := range []float64{1, -9999, 1e9, -count.MaxReal} {
		docs[1].Attributes[0].Number = wrong
		_, scores := learnTable(t, docs, classes, rand.New(rand.NewPCG(9, 10)).Perm(len(docs)), totals)
		right := 0
		for i, s := range scores {
			if i%3 == 0 && (s[1] > s[0]) == (classes[i] == 1) {
				right++
			}
		}
		if right < 100 {
			t.Errorf("beside %v %d of 134 documents are scored rightly", wrong, right)
		}
	}
}

// Of a number with two values, z² - 1 = r z with r = (1-2p) / √(p (1-p)) where p is the share of the
// greater, so that ridge regression gives the two weights in the ratio of r over that of the precisions.
func TestSquaresHaveAPreciserPrior(t *testing.T) {
	t.Parallel()
	docs, classes, totals := table(400)
	for i, doc := range docs {
		doc.Attributes, classes[i] = doc.Attributes[:1], 0
		if doc.Attributes[0].Number = 0; i%4 == 0 {
			doc.Attributes[0].Number = 1
		}
		if (i%4 == 0) != (i%20 < 4) {
			classes[i] = 1
		}
	}
	w, _ := learnTable(t, docs, classes, rand.New(rand.NewPCG(1, 2)).Perm(len(docs)), totals[:1])
	hash := NewColumns(totals, nil)[0].hash
	_, linear := w.Row(hash).At(1)
	_, square := w.Row(hash + 1).At(1)
	if r := .5 / math.Sqrt(.25*.75); linear < .3 || math.Abs(square/linear-r*squareUnit*squareUnit) > .02 {
		t.Errorf("weights %v and %v", linear, square)
	}
}

// A column of equal numbers has no features, and neither has one whose scale was not learned.
func TestEqualNumbers(t *testing.T) {
	t.Parallel()
	list := NewColumns([]*count.AttributeTotals{{Name: "a", Kind: count.Real}}, nil)
	for _, numbers := range [][]float64{nil, {3}, {2, 2, 2}, {.1, .1, .1, .1, .1, .1}, {1e-200, 2e-200, 3e-200}} {
		if len(numbers) > 0 {
			list[0].measure(numbers)
		}
		list.Each(0, &count.Attribute{Name: "a", Kind: count.Real, Number: 1}, func(_ uint64, value float64) { t.Errorf("%v: %v", numbers, value) })
	}
}

// The weights are about those of the maximum of the posterior density, which is written down once more
// here, for one of the priors that are tried: none has a hundredth of a nat more for a document.
func TestAttributeWeightsAreTheMaximum(t *testing.T) {
	t.Parallel()
	docs, classes, totals := table(200)
	w, _ := learnTable(t, docs, classes, rand.New(rand.NewPCG(7, 8)).Perm(len(docs)), totals)
	w = Parse(w.Marshal([]count.ClassID{1, 2}))
	columns := NewColumns(totals, w)
	features := []uint64{Constant}
	vectors := make([]map[uint64]float64, len(docs))
	for i, doc := range docs {
		vectors[i] = map[uint64]float64{Constant: 1}
		for at := range doc.Attributes {
			columns.Each(at, &doc.Attributes[at], func(hash uint64, value float64) {
				if vectors[i][hash] = value; !slices.Contains(features, hash) {
					features = append(features, hash)
				}
			})
		}
	}
	weights := map[uint64]float64{} // of class 1, less those of class 0
	for _, hash := range features {
		row := w.Row(hash)
		for i := range row.Len() {
			c, v := row.At(i)
			weights[hash] += v * float64(2*c-1)
		}
	}
	density := func(precision float64) (sum float64) {
		for hash, v := range weights {
			if hash != Constant {
				sum -= precision * v * v / 4 // half for each class
			}
		}
		for i, x := range vectors {
			z := 0.
			for hash, v := range x {
				z += weights[hash] * v
			}
			sum -= math.Log1p(math.Exp(z * float64(1-2*classes[i])))
		}
		return sum
	}
	nearest := math.Inf(1)
	for _, precision := range precisions {
		first, from := density(precision), maps.Clone(weights)
		for step := 2.; step > .01; step /= 2 { // coordinate by coordinate
			for range 10 {
				for _, hash := range features {
					for _, by := range []float64{-step, step} {
						before := density(precision)
						if weights[hash] += by; density(precision) < before {
							weights[hash] -= by
						}
					}
				}
			}
		}
		nearest = min(nearest, (density(precision)-first)/float64(len(docs)))
		weights = from
	}
	if nearest > .01 {
		t.Errorf("the weights are %v nats for a document from the maximum", nearest)
	}
}
