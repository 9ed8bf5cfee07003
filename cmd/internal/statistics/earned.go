package statistics

import (
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// shownPrecisions are the precisions whose effect 'polya info' reports; 0 answers all.
var shownPrecisions = []float64{0, .8, .9, .95, .99}

// Earned is what 'polya classify --precision P' would have done for the calibration sample.
type Earned struct {
	Precision terminal.Number `json:"precision"`
	Judged    int             `json:"judged"`
	Answered  int             `json:"answered"`
	Right     terminal.Number `json:"right"` // share of the answered, 0 to 1
	Classes   []earnedClass   `json:"classes"`
}

// earnedClass is the same for the answers of one class.
type earnedClass struct {
	Class    string          `json:"class"`
	Judged   int             `json:"judged"`
	Answered int             `json:"answered"`
	Right    terminal.Number `json:"right"`
}

// EarnedIn returns the effect of the precisions shown, nil without a record.
func EarnedIn(c *classify.Classifier) ([]Earned, error) {
	r, err := c.Record()
	if err != nil || r.Documents() == 0 {
		return nil, err
	}
	var all []Earned
	err = c.Store().View(func(s *store.Snapshot) error {
		for _, precision := range shownPrecisions {
			found, sum := r.Earned(precision), r.Answered(precision)
			e := Earned{
				Precision: terminal.Number(precision), Judged: sum.Documents, Answered: sum.Filed,
				Right: share(sum.Right, sum.Filed), Classes: []earnedClass{},
			}
			for _, class := range s.Classes() {
				if x, judged := found[class.ID]; judged {
					e.Classes = append(e.Classes, earnedClass{class.Name, x.Documents, x.Filed, share(x.Right, x.Filed)})
				}
			}
			all = append(all, e)
		}
		return nil
	})
	return all, err
}

func share(right float64, of int) terminal.Number {
	return terminal.Number(right / float64(max(of, 1)))
}

// PrintEarned prints a table of the precisions.
func PrintEarned(p *terminal.Streams, all []Earned) error {
	if len(all) == 0 {
		return nil
	}
	p.Printf("\nWith --precision P: how many documents of the calibration sample are answered, each without\n" +
		"its own counts, and how many of these answers are right. The others are suggestions.\n\n")
	t := terminal.Table{Numeric: []bool{true, true, true}}
	t.Add("P", "answered", "right")
	for _, e := range all {
		right := "-"
		if e.Answered > 0 {
			right = fmt.Sprintf("%.1f %%", 100*float64(e.Right))
		}
		t.Add(fmt.Sprint(float64(e.Precision)), fmt.Sprintf("%s of %s", terminal.Grouped(e.Answered), terminal.Grouped(e.Judged)), right)
	}
	return t.Write(p.Stdout)
}
