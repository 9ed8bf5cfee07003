package tags

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

// The contributions to the log-odds of a tag add up to them, calibrated or not or by an earlier program
// without the last components, and the terms that were made for the tag speak for it.
func TestExplain(t *testing.T) {
	t.Parallel()
	to := newTagger(t, byHand)
	if _, err := to.Explain(t.Context(), text{words: "word1"}.document(to, 999), ""); !errors.Is(err, classify.ErrNoDocuments) {
		t.Error(err)
	}
	for i, x := range randomTexts(rand.New(rand.NewPCG(1, 2)), 300) {
		x.train(t, to, i)
	}
	for round := range 3 {
		for _, tag := range []string{"travel", "family", ""} {
			doc := text{words: "travel1 travel2 word1 word2 unheard"}.document(to, 1000)
			r, err := to.Score(t.Context(), doc)
			if err != nil {
				t.Fatal(err)
			}
			want, err := r.Answer(tag)
			if err != nil {
				t.Fatal(err)
			}
			x, err := to.Explain(t.Context(), doc, tag)
			if err != nil || x.LogOdds != want.LogOdds || x.Class != want.Class || x.Unknown != 1 || len(x.Terms) < 4 || len(x.Posterior) != 3 {
				t.Fatalf("%+v, %v", x, err)
			}
			sum := x.Prior.LogOdds
			for _, term := range x.Terms {
				sum += term.LogOdds
			}
			if math.Abs(sum-x.LogOdds) > 1e-9 || math.Abs(x.Length.LogOdds) > 1e-9 {
				t.Errorf("%q: parts are %v and %v, not %v", tag, sum, x.Length.LogOdds, x.LogOdds)
			}
			if first := x.Terms[0]; tag != "family" && (x.Class != "travel" || first.Term[:6] != "travel" || first.LogOdds <= 0) {
				t.Errorf("%s: %+v", x.Class, first)
			}
		}
		if round > 0 {
			for i, w := range to.prepared.weights {
				to.prepared.weights[i] = w[:len(w)-3]
			}
		} else if _, err := to.c.Calibrate(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := to.Explain(t.Context(), text{words: "word1"}.document(to, 999), "nothing"); !errors.Is(err, store.ErrNoClass) {
		t.Error(err)
	}
}
