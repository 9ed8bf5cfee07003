package classify

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// layered opens a database that has classes of these numbers, so that their ids are the
// same whatever is learned first.
func layered(t *testing.T, o Options, classes int) *Classifier {
	t.Helper()
	o.Fitting = FitByHand
	c := openTest(t, filepath.Join(t.TempDir(), "db"), o)
	for class := range classes {
		doc := c.Document(fmt.Appendf(nil, "first of class %d", class))
		trainDocuments(t, c, fmt.Sprint("class", class), doc)
	}
	return c
}

// layerState returns the weights that the database keeps, and the weight of the Layers in
// the Stack.
func layerState(t *testing.T, c *Classifier) (data []byte, weight float64) {
	t.Helper()
	err := c.Store().View(func(s *store.Snapshot) error { data = s.State(keyLayer); return nil })
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.Calibration()
	if err != nil {
		t.Fatal(err)
	}
	if m := k.Model(stackName); m != nil {
		for i, name := range m.Components {
			if strings.HasSuffix(name, "layer") {
				weight += m.Weights[i]
			}
		}
	}
	if (data != nil) != (weight > 0) || data != nil && k.Layer == 0 {
		t.Errorf("%d bytes of weights, and a weight of %v", len(data), weight)
	}
	return data, weight
}

// A Layer depends on the documents that are learned when it is made: on neither their order
// nor how they came, nor on those that were forgotten.
func TestLayerIsOfTheDocuments(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	docs := make([]Document, 120)
	for i := range docs {
		docs[i] = someWords(rng, i%3, 20, 300)
	}
	class := func(i int) string { return fmt.Sprint("class", i%3) }
	learn := func(c *Classifier, some []int) {
		for _, i := range some {
			trainDocuments(t, c, class(i), docs[i])
		}
	}
	var first []byte
	var answers []Result
	for round := range 5 {
		c := layered(t, Options{}, 3)
		order := rng.Perm(100)
		switch round {
		case 1: // with others that are forgotten, and a document that moves
			for i := 100; i < 120; i++ {
				learn(c, []int{i})
			}
			calibrated(t, c)
			trainDocuments(t, c, class(order[0]+1), docs[order[0]])
			learn(c, order)
			for i := 100; i < 120; i++ {
				if _, err := c.Forget(ctx, docs[i]); err != nil {
					t.Fatal(err)
				}
			}
		case 2: // from another database
			learn(c, order[:40])
			other := layered(t, Options{}, 3)
			learn(other, order[40:])
			if _, err := c.Store().Merge(ctx, store.MergeOptions{Again: true}, other.Store()); err != nil {
				t.Fatal(err)
			}
		case 3: // all at once
			var b Batch
			for _, i := range order {
				if err := b.Train(class(i), docs[i]); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.Apply(ctx, &b); err != nil {
				t.Fatal(err)
			}
		default:
			learn(c, order)
		}
		calibrated(t, c)
		data, weight := layerState(t, c)
		if weight == 0 {
			t.Fatal("the layer has no weight")
		}
		if round == 0 {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Errorf("round %d: other weights", round)
		}
		for i := range 10 {
			r, err := c.Classify(ctx, docs[110+i])
			if err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				answers = append(answers, r)
			}
			if fmt.Sprint(r) != fmt.Sprint(answers[i]) {
				t.Errorf("round %d, document %d: %v, was %v", round, i, r, answers[i])
			}
		}
	}
}

// What a Layer contributes is in the explanation, and the parts add up; the weights are
// those that are kept.
func TestLayerIsExplained(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 1))
	c := layered(t, Options{}, 2)
	for i := range 80 {
		trainDocuments(t, c, fmt.Sprint("class", i%2), someWords(rng, i%2, 20, 300))
	}
	calibrated(t, c)
	if _, weight := layerState(t, c); weight == 0 {
		t.Fatal("the layer has no weight")
	}
	doc := someWords(rng, 1, 20, 300)
	with, err := c.Explain(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, "with the layer", with)
	// Without the weights the same Stack answers with the rest.
	if err := c.Store().PutState(map[string][]byte{keyLayer: []byte("damaged")}); err != nil {
		t.Fatal(err)
	}
	again, err := Open(c.Store().Path(), Options{Fitting: FitByHand, Store: store.Options{ReadOnly: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	without, err := again.Explain(ctx, doc)
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, "without the layer", without)
	if with.LogOdds == without.LogOdds {
		t.Error("the layer changes nothing")
	}
}

// Without documents in full there is no Layer, and a database that loses them loses it
// with the next calibration.
func TestLayerNeedsDocuments(t *testing.T) {
	t.Parallel()
	for _, keep := range []count.Ledger{count.LedgerDigest, count.LedgerNone} {
		rng := rand.New(rand.NewPCG(3, 1))
		c := layered(t, Options{}, 2)
		for i := range 60 {
			trainDocuments(t, c, fmt.Sprint("class", i%2), someWords(rng, i%2, 20, 300))
		}
		calibrated(t, c)
		if data, _ := layerState(t, c); data == nil {
			t.Fatal("no layer")
		}
		var b Batch
		b.delta.Keep = keep
		if err := b.Train("class1", someWords(rng, 1, 20, 300)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
		calibrated(t, c)
		if data, _ := layerState(t, c); data != nil {
			t.Errorf("%v: a layer of %d bytes without all documents", keep, len(data))
		}
	}
}

// Fields and a Layer are parts of the Stack where documents have fields, and nothing
// changes where they have none.
func TestFieldsWhereThereAreSome(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{Analyzer: noChannels})
	k := calibrated(t, c)
	for _, name := range k.Model(stackName).Components {
		if m, err := model.Parse(name); err == nil && (model.Component{Model: m}).ReadsFields() {
			t.Errorf("plain texts are asked for %s", name)
		}
	}
	rng := rand.New(rand.NewPCG(4, 1))
	c = layered(t, Options{}, 2)
	for i := range 60 {
		trainDocuments(t, c, fmt.Sprint("class", i%2), someWords(rng, i%2, 20, 300))
	}
	if got := len(calibrated(t, c).Model(stackName).Components); got != len(defaultStack().Components) {
		t.Errorf("%d components, want all %d", got, len(defaultStack().Components))
	}
}

// What the Layer says without reading counts is near what it says with them, also where one
// class has few documents, so that the other is told by terms that nearly all documents have.
func TestAhead(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	c := layered(t, Options{}, 2)
	text := func(class int) Document {
		var words []byte
		for k := range 10 {
			if rng.IntN(10) >= 9*class {
				words = fmt.Appendf(words, "common%c ", 'a'+k)
			}
		}
		for range 30 {
			words = fmt.Appendf(words, "rare%d ", rng.IntN(3000))
		}
		return c.Document(words)
	}
	var b Batch
	for i := range 600 {
		class := min(1, i%12)
		if err := b.Train(fmt.Sprint("class", class), text(class)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	k := calibrated(t, c)
	err := c.Store().View(func(s *store.Snapshot) error {
		totals, l := totalsOf(s), c.calibrations.layerOf(source{s, true}, k)
		characters := l
		characters.Fields = model.CharacterFields
		scorers, ids := []model.Scorer{l.Prepare(totals), characters.Prepare(totals)}, []count.ClassID{totals.Classes[0].ID, totals.Classes[1].ID}
		for i := range 200 {
			doc := text(i % 2)
			e, scores, want := model.Evidence{Terms: appendTerms(nil, doc.Bag)}, make([]float64, 2), 0.
			if err := e.ReadTerms(s, false); err != nil {
				return err
			}
			for _, scorer := range scorers {
				scorer.Score(&e, scores)
				want += scores[1] - scores[0]
			}
			q := new(question)
			q.readFeatures(e.Terms, nil)
			if got := l.Ahead(e.Terms, q.hashes, s.Documents(), ids[1], ids[0]); math.Abs(got-want) > .5+math.Abs(want)/3 {
				t.Errorf("document %d: ahead by %.2f, want %.2f", i, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Where parts of words tell classes, and no word comes twice, what was learned of the characters answers.
func TestLayerOfCharacters(t *testing.T) {
	t.Parallel()
	c := layered(t, Options{}, 2)
	rng := rand.New(rand.NewPCG(6, 7))
	text := func(class int) Document {
		words := []byte("text")
		for range 6 {
			words = fmt.Appendf(words, " %c%c%s%c%c", 'a'+rng.IntN(26), 'a'+rng.IntN(26), []string{"kala", "talo"}[class], 'a'+rng.IntN(26), 'a'+rng.IntN(26))
		}
		return c.Document(words)
	}
	for i := range 120 {
		trainDocuments(t, c, fmt.Sprint("class", i%2), text(i%2))
	}
	k := calibrated(t, c)
	for name, want := range map[string]bool{"layer": true, "character layer": true, "attribute layer": true, "ratio": false} {
		if got := hasLayer(calibration.Model{Components: []string{name}, Weights: []float64{1}}); got != want {
			t.Errorf("a weight of %s: %v, want %v", name, got, want)
		}
	}
	if err := c.Store().View(func(s *store.Snapshot) error {
		stack, _ := c.bind(source{s, false}, totalsOf(s), Auto{})
		at := slices.Index(stack.ComponentNames(), "character layer")
		if at < 0 || !(stack.Components[at].Weight > 0) {
			t.Fatalf("components %v, calibration %+v", stack.ComponentNames(), k.Models[0])
		}
		doc, scores := text(1), make([]float64, 2)
		e := model.Evidence{Terms: appendTerms(nil, doc.Bag)}
		if err := e.ReadTerms(s, false); err != nil {
			return err
		}
		stack.Components[at].Model.Prepare(totalsOf(s)).Score(&e, scores)
		if !(scores[1] > scores[0]+1) {
			t.Errorf("the characters score %v", scores)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
