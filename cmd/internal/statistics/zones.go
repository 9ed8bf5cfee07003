package statistics

import (
	"fmt"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// zoneJSON is the unsure zone of 'classify --is CLASS' for one class, and its answers for
// the documents of the calibration sample.
type zoneJSON struct {
	Class  string          `json:"class"`
	No     terminal.Number `json:"no_log_odds"`
	Yes    terminal.Number `json:"yes_log_odds"`
	Own    answerJSON      `json:"judged"`
	Others answerJSON      `json:"others_judged"`
}

type answerJSON struct {
	No     int `json:"no"`
	Unsure int `json:"unsure"`
	Yes    int `json:"yes"`
}

// ZonesIn returns the zones of the model that answers by default, for the class of that
// name or, if the name is empty, for each.
func ZonesIn(db *store.DB, k *calibration.Calibration, is string) (all []zoneJSON) {
	m := k.Model(k.Chosen)
	if m == nil {
		return nil
	}
	counts := func(n [3]int) answerJSON {
		return answerJSON{n[calibration.No], n[calibration.Unsure], n[calibration.Yes]}
	}
	for _, class := range Classes(db) {
		z, known := m.Zones[class.ID]
		if known && class.Docs > 0 && (is == "" || class.Name == is) {
			all = append(all, zoneJSON{class.Name, terminal.Number(z.No), terminal.Number(z.Yes), counts(z.Own), counts(z.Others)})
		}
	}
	return all
}

// PrintZones prints a table of the zones.
func PrintZones(p *terminal.Streams, all []zoneJSON) error {
	if len(all) == 0 {
		return nil
	}
	c := calibration.ZoneCosts
	p.Printf("\nWith --is CLASS alone: no up to the first log-odds, yes beyond the second, and unsure\n"+
		"between, where a wrong yes costs %g, a wrong no %g, and unsure %g; and the shares of the\n"+
		"calibration sample that get these answers, leave-one-out.\n\n", c.WrongYes, c.WrongNo, c.Unsure)
	t := terminal.Table{Numeric: []bool{false, true, true, true, true}}
	t.Add("class", "no", "yes", "of CLASS: no, unsure, yes %", "of others: no, unsure, yes %")
	for _, z := range all {
		t.Add(terminal.Printable(z.Class), fmt.Sprintf("%+.3f", float64(z.No)), fmt.Sprintf("%+.3f", float64(z.Yes)), z.Own.shares(), z.Others.shares())
	}
	return t.Write(p.Stdout)
}

// shares returns a table cell of percentages.
func (a answerJSON) shares() string {
	n := a.No + a.Unsure + a.Yes
	if n == 0 {
		return "-"
	}
	share := func(k int) float64 { return 100 * float64(k) / float64(n) }
	return fmt.Sprintf("%5.2f %5.2f %6.2f", share(a.No), share(a.Unsure), share(a.Yes))
}
