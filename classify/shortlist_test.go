package classify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
)

// Hundreds of equal classes are calibrated from a sample that has hardly any document of
// some, and their answers improve.
func TestManyClassesAreCalibrated(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	classes := 300
	if testing.Short() {
		classes = 150 // still more than are on the list
	}
	rng := rand.New(rand.NewPCG(9, 9))
	made := func(class int) string {
		text := fmt.Sprint("number", rng.Uint32())
		for range 12 {
			of := class
			if rng.IntN(2) == 0 {
				of = rng.IntN(classes)
			}
			text += fmt.Sprintf(" w%dx%d", of, rng.IntN(15))
		}
		return text
	}
	c := openTest(t, t.TempDir()+"/test.polya", Options{Fitting: FitByHand, Decision: decision.Precision{Share: .9}})
	var batch Batch
	for i := range 10 * classes {
		if err := batch.Train(fmt.Sprint("c", i%classes), c.Document([]byte(made(i%classes)))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &batch); err != nil {
		t.Fatal(err)
	}
	loss := func() (loss float64, right, sure int) {
		for i := range classes {
			r := ask(t, c, made(i))
			loss += 1 - r.ProbabilityOf(fmt.Sprint("c", i))
			if r.Class == fmt.Sprint("c", i) {
				right++
			}
			if !r.Unsure {
				sure++
			}
		}
		return loss / float64(classes), right, sure
	}
	before, _, _ := loss()
	k := calibrated(t, c)
	after, right, sure := loss()
	if k == nil || after > before/2 || right < classes*9/10 || sure < classes/2 {
		t.Errorf("calibrated %v: mean probability of wrong classes %v, was %v; %d right, %d sure", k != nil, after, before, right, sure)
	}
	// A left-out document has the probabilities of its shortlist.
	n := 0
	err := c.LeaveOut(ctx, 100, func(_ count.DocID, class string, posterior []ClassProbability) error {
		n++
		if len(posterior) != shortlisted || !slices.ContainsFunc(posterior, func(p ClassProbability) bool { return p.Class == class }) {
			t.Errorf("%d classes", len(posterior))
		}
		return nil
	})
	if err != nil || n < 50 {
		t.Errorf("%d documents, %v", n, err)
	}
}
