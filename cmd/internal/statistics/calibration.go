package statistics

import (
	"fmt"
	"math"
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
