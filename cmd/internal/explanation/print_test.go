package explanation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// wideExplanation is one of 20 classes and 200 terms with long names.
func wideExplanation() classify.Explanation {
	var e classify.Explanation
	for i := range 20 {
		name := fmt.Sprintf("class %02d 価格 with a name that is long", i)
		e.Classes = append(e.Classes, name)
		e.Posterior = append(e.Posterior, classify.ClassProbability{Class: name, Probability: .05})
	}
	e.Class = e.Classes[7]
	part := func(x float64) classify.Contribution {
		weights := make([]float64, len(e.Classes))
		for i := range weights {
			weights[i] = -x
		}
		return classify.Contribution{LogOdds: x, LogLikelihoods: weights}
	}
	e.Prior, e.Length = part(-100.5), part(12345.5)
	for i := range 200 {
		term := fmt.Sprintf("received:%03d.%s.example", i, strings.Repeat("long", 20))
		e.Terms = append(e.Terms, classify.TermContribution{Term: term, Count: 255, Contribution: part(float64(100 - i))})
	}
	return e
}

// However many classes there are and however long the names, an explanation is no
// wider than 120 columns.
func TestExplanationIsNarrow(t *testing.T) {
	t.Parallel()
	x := Explained{Explanation: wideExplanation(), Path: "m.eml", Most: 8}
	var out bytes.Buffer
	if err := x.Print(&terminal.Streams{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if w := terminal.Width(strings.TrimSuffix(line, "\n")); w > 120 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	if got := strings.Count(out.String(), "\nreceived:"); got != 16 {
		t.Errorf("%d terms are printed, want 8 for the answer and 8 against it:\n%s", got, out.String())
	}
}
