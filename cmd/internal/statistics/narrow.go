package statistics

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// narrowJSON is a class that was learned from few sources; see calibration.Mark.
type narrowJSON struct {
	Class     string          `json:"class"`
	Term      string          `json:"term"`
	Having    uint64          `json:"having_term"`
	Documents uint64          `json:"documents"`
	Others    terminal.Number `json:"share_of_others"`
}

// narrowIn returns the narrow ones of two classes. Of many, topics and folders, most are.
func narrowIn(classes []*count.Class, k *calibration.Calibration) (all []narrowJSON) {
	learned := 0
	for _, class := range classes {
		if class.Docs == 0 {
			continue
		}
		m, n := k.Marks[class.ID], k.Learned[class.ID]
		learned += int(min(n, 1))
		if m.Narrow() {
			all = append(all, narrowJSON{class.Name, m.Term, uint64(math.Round(m.Own * float64(n))), n, terminal.Number(m.Others)})
		}
	}
	if learned != 2 {
		return nil
	}
	return all
}

func (n *narrowJSON) warning() string {
	name := terminal.Printable(n.Class)
	return fmt.Sprintf("What was learned as %s comes from few sources: %s of %s documents have the term\n"+
		"%s, and %.0f %% of the others.\n"+
		"Sure answers about other %[1]s are not proven, so more are unsure. Learn other, ordinary\n"+
		"documents of %[1]s.\n",
		name, terminal.Grouped(n.Having), terminal.Grouped(n.Documents), terminal.Printable(n.Term), 100*float64(n.Others))
}
