package statistics

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// shownRates are the false-positive rates whose effect 'polya info' reports.
var shownRates = []float64{.001, .003, .01}

// filter is what --is or --fpr answers about the documents of the calibration sample that are of a
// class, and about the others. Of a rate with too few others only their number needed is known.
type filter struct {
	Class    string           `json:"class" text:""`
	Flag     string           `json:"flag"`
	Judged   int              `json:"judged" text:""`
	Others   int              `json:"others_judged" text:""`
	No       *terminal.Number `json:"no_log_odds,omitempty" text:"no up to" format:"%+.3f"`
	Yes      *terminal.Number `json:"yes_log_odds,omitempty" text:"yes beyond" format:"%+.3f"`
	OwnNo    *terminal.Share  `json:"no,omitempty" text:"no %"`
	OwnYes   *terminal.Share  `json:"yes,omitempty" text:"yes %"`
	OtherNo  *terminal.Share  `json:"others_no,omitempty" text:"others: no %"`
	OtherYes *terminal.Share  `json:"others_yes,omitempty" text:"yes %"`
	Needed   *int             `json:"others_needed,omitempty" text:"needs others"`
	Raised   terminal.Number  `json:"raised,omitempty" text:""` // by how much the cut-off of --fpr is
}

// filtersOf returns what --is and --fpr do with a model, for the class named or, if the name is
// empty, for each.
func filtersOf(s *store.Snapshot, m *calibration.Model, is string) (list []filter) {
	share := func(n, of int) *terminal.Share { return new(terminal.Share(float64(n) / float64(max(of, 1)))) }
	for _, class := range s.Classes() {
		if class.Docs == 0 || is != "" && class.Name != is {
			continue
		}
		if z, known := m.Zones[class.ID]; known {
			f := filter{Class: class.Name, Flag: "--is " + class.Name, No: new(terminal.Number(z.No)), Yes: new(terminal.Number(z.Yes))}
			for a := range z.Own {
				f.Judged, f.Others = f.Judged+z.Own[a], f.Others+z.Others[a]
			}
			f.OwnNo, f.OwnYes = share(z.Own[calibration.No], f.Judged), share(z.Own[calibration.Yes], f.Judged)
			f.OtherNo, f.OtherYes = share(z.Others[calibration.No], f.Others), share(z.Others[calibration.Yes], f.Others)
			list = append(list, f)
		}
		tail, known := m.Tails[class.ID]
		if !known {
			continue
		}
		for _, rate := range shownRates {
			f := filter{Class: class.Name, Flag: fmt.Sprintf("--fpr %.3g%%", 100*rate), Judged: tail.Own, Others: tail.Documents, Raised: terminal.Number(tail.Raised)}
			if cut, known := tail.Cut(rate); known {
				f.Yes, f.OwnYes, f.OtherYes = new(terminal.Number(cut.LogOdds)), share(cut.Caught, tail.Own), share(cut.Exceeding, tail.Documents)
			} else {
				f.Needed = new(calibration.Needed(rate))
			}
			list = append(list, f)
		}
	}
	return list
}

// printFilters prints what --is and --fpr answer about the calibration sample, for one class.
func (j *Calibration) printFilters(p *terminal.Streams, is string) error {
	of := slices.DeleteFunc(slices.Clone(j.Filters), func(f filter) bool { return f.Class != is })
	if len(of) == 0 {
		return nil
	}
	p.Printf("\nLog-odds of %s, and the answers about the calibration sample, leave-one-out:\n\n", terminal.Printable(is))
	return terminal.TableOf(of).Write(p.Stdout)
}
