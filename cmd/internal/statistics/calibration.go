package statistics

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Calibration is the object of 'polya calibrate --json' and a part of that of
// 'polya info --json'.
type Calibration struct {
	Database  string           `json:"database,omitempty"`
	Documents uint64           `json:"documents"` // number of documents at calibration
	Sample    int              `json:"sample"`
	Chosen    string           `json:"chosen"`
	Latest    *latestJSON      `json:"latest,omitempty"`
	Models    []calibratedJSON `json:"models"`
	Narrow    []narrowJSON     `json:"narrow,omitempty"`
	Filters   []filter         `json:"filters,omitempty"` // by the chosen model
	Earned    []earnedJSON     `json:"earned,omitempty"`
	Unknown   []string         `json:"unknown,omitempty"` // classes of which no precision is known
	labels
}

// earnedJSON is what 'polya classify --precision P' would have done for the calibration sample.
type earnedJSON struct {
	Precision float64         `json:"precision"`
	Judged    int             `json:"judged"`
	Answered  int             `json:"answered"`
	Right     terminal.Number `json:"right"` // share of the answered, 0 to 1
}

// shownPrecisions are the precisions whose effect 'polya info' reports; 0 answers all.
var shownPrecisions = []float64{0, .8, .9, .95, .99}

type calibratedJSON struct {
	Model    string          `json:"model"`
	Loss     terminal.Number `json:"log_loss" text:"log loss" format:"%.4f"`
	Variance terminal.Number `json:"variance,omitempty" text:""`
	Floor    terminal.Number `json:"floor,omitempty" text:""`
}

// ReadCalibration describes a calibration of c: some of its models and, for the class is or for
// all, what flags do and which documents are probably in the wrong class.
func ReadCalibration(c *classify.Classifier, k *calibration.Calibration, is string, models ...calibration.Model) (*Calibration, error) {
	j := &Calibration{Documents: k.Documents, Sample: k.Sample, Chosen: k.Chosen, Models: []calibratedJSON{}}
	if k.Latest.Documents > 0 {
		l := k.Latest
		j.Latest = &latestJSON{l.Documents, time.Unix(int64(l.Since), 0).UTC(), terminal.Number(l.Loss), terminal.Number(l.Before), l.Unlike()}
	}
	for _, m := range models {
		j.Models = append(j.Models, calibratedJSON{m.Name, terminal.Number(m.Loss), terminal.Number(m.Variance), terminal.Number(m.Floor)})
	}
	record, err := c.Record()
	if err != nil {
		return nil, err
	}
	for _, precision := range shownPrecisions {
		if all := record.Earned(nil, precision, math.Inf(-1)); all.Documents > 0 {
			j.Earned = append(j.Earned, earnedJSON{precision, all.Documents, all.Filed, terminal.Number(all.Right / float64(max(all.Filed, 1)))})
		}
	}
	suspects, err := c.Suspects()
	if err != nil {
		return nil, err
	}
	return j, c.Store().View(func(s *store.Snapshot) error {
		j.Narrow = narrowIn(s.Classes(), k)
		for _, class := range s.Classes() {
			if class.Docs > 0 && len(j.Earned) > 0 && !record.Knows(class.ID) {
				j.Unknown = append(j.Unknown, class.Name)
			}
		}
		if m := k.Model(k.Chosen); m != nil {
			j.Filters = filtersOf(s, m, is)
		}
		return j.labels.read(s, k, suspects, is)
	})
}

// Choice says which model was chosen and why.
func (j *Calibration) Choice() string {
	for _, m := range j.Models {
		if m.Model == j.Chosen {
			return fmt.Sprintf("%s: %.4f nats on %s, leave-one-out", terminal.Printable(m.Model), m.Loss, terminal.Counted(j.Sample, "document", "documents"))
		}
	}
	return j.Chosen
}

// latestJSON is the accuracy on the latest documents.
type latestJSON struct {
	Documents int             `json:"documents"`
	Since     time.Time       `json:"since"`
	Loss      terminal.Number `json:"log_loss"`
	Before    terminal.Number `json:"log_loss_before"`
	Unlike    bool            `json:"unlike"`
}

// String returns it as a line of text.
func (l *latestJSON) String() string {
	return fmt.Sprintf("%.4f nats on %s since %s, %.4f by what was learned before", l.Loss,
		terminal.Counted(l.Documents, "document", "documents"), l.Since.Format(time.DateOnly), l.Before)
}

// warning returns a warning for the user, "" if none is needed.
func (l *latestJSON) warning() string {
	if l == nil || !l.Unlike {
		return ""
	}
	return "The latest documents are unlike those before them, which did not prepare for them. If\n" +
		"those to come are as new, answers will be wrong more often than they say. 'polya help\n" +
		"calibrate' explains how this is told.\n"
}

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
