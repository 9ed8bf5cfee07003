package classify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
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

// A shortlist has the class of the document, whatever its score, and the classes with documents whose
// scores by the first stack, of two components here, are the greatest, with the scores of all components.
func TestShortlist(t *testing.T) {
	t.Parallel()
	const classes, class, empty = shortlisted + 40, 7, 9
	loo := &looScores{stacks: []model.Stack{{Components: []model.Component{{Weight: 2}, {Weight: .5}}}}, at: [][]int{{2, 0}}}
	rng := rand.New(rand.NewPCG(3, 3))
	scores, want := make([]float64, 3*classes), []int(nil)
	for c := range classes {
		loo.t.Classes = append(loo.t.Classes, &count.Class{Docs: 1})
		// The sums fall with 5c modulo the classes, which has no factor in common with them.
		sum := -float64(5*c%classes) - 1
		part := rng.Float64() * 1000
		scores[2*classes+c], scores[classes+c], scores[c] = part/2, rng.Float64(), 2*(sum-part)
	}
	loo.t.Classes[empty].Docs = 0
	scores[class] = -1e6
	byPlace := make([]int, classes)
	for c := range classes {
		byPlace[5*c%classes] = c
	}
	for _, c := range byPlace {
		if c != class && c != empty && len(want) < shortlisted-1 {
			want = append(want, c)
		}
	}
	want = append(want, class)
	slices.Sort(want)
	list, short := loo.shortlist(scores, class)
	if !slices.Equal(list, want) {
		t.Fatalf("the list is %v, want %v", list, want)
	}
	for i, c := range list {
		for m := range 3 {
			if short[m*len(list)+i] != scores[m*classes+c] {
				t.Errorf("score %d of class %d is another's", m, c)
			}
		}
	}
}
