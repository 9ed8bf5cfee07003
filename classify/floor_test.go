package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// filed returns texts that are mostly of words of their class, of which a share is filed in
// another class, as copies are that were sent to two lists.
func filed(rng *rand.Rand, n int, share float64) (classes, texts []string) {
	for range n {
		own := rng.IntN(4)
		words := []string{fmt.Sprint("own", rng.Uint32())}
		for range 1 + rng.IntN(4)*rng.IntN(60) {
			of := own
			if rng.IntN(2) == 0 {
				of = rng.IntN(4)
			}
			words = append(words, fmt.Sprint("w", of, "x", rng.IntN(40)))
		}
		if rng.Float64() < share {
			own = (own + 1 + rng.IntN(3)) % 4
		}
		classes, texts = append(classes, string(rune('a'+own))), append(texts, strings.Join(words, " "))
	}
	return classes, texts
}

// Of answers that say .95 no more are wrong than they say, also where some learned documents
// are filed in a class of which they have no words: those labels are taken for wrong.
func TestFloorOfAnswers(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	classes, texts := filed(rng, 3000, .02)
	c := openTest(t, t.TempDir()+"/test.polya", Options{})
	learn(t, c, numbers(len(texts)), len(texts), classes, texts)
	k := calibrated(t, c)
	if floor := k.Model(k.Chosen).Floor; floor == 0 || floor > .03 {
		t.Errorf("floor %v", floor)
	}
	classes, texts = filed(rng, 2000, 0)
	wrong, expected, sure := 0, 0., 0
	for i, text := range texts {
		r := ask(t, c, text)
		if r.Probability > .95 {
			sure++
			expected += 1 - r.Probability
			if r.Class != classes[i] {
				wrong++
			}
		}
		if testing.Short() && i%10 > 0 {
			continue
		}
		x, err := c.Explain(ctx, c.Document([]byte(text)))
		sum := x.Prior.LogOdds + x.Length.LogOdds + x.Recent.LogOdds - x.Spread
		for _, term := range x.Terms {
			sum += term.LogOdds
		}
		if err != nil || !near(sum, r.LogOdds, 1e-6) || !near(r.LogOdds, math.Log(r.Probability/(1-r.Probability)), 1e-6) {
			t.Fatalf("parts add up to %v, log-odds %v, probability %v, %v", sum, r.LogOdds, r.Probability, err)
		}
	}
	if sure < 1000 || float64(wrong) > 1.5*expected {
		t.Errorf("of %d sure answers %d are wrong, %v expected", sure, wrong, expected)
	}
	if testing.Short() {
		return
	}
	clear := openTest(t, t.TempDir()+"/clear.polya", Options{})
	classes, texts = filed(rng, 3000, 0)
	learn(t, clear, numbers(len(texts)), len(texts), classes, texts)
	if k := calibrated(t, clear); k.Model(k.Chosen).Floor != 0 {
		t.Errorf("without such documents the floor is %v", k.Model(k.Chosen).Floor)
	}
}
