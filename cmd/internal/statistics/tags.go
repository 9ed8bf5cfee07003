package statistics

import (
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
)

// Tag describes a tag.
type Tag struct {
	Tag       string `json:"tag"`
	Documents uint64 `json:"documents"`
	Speaks    bool   `json:"speaks"`

	// From is the probability from which the tag is given. Right and Wrong count the
	// leave-one-out answers at or above it, and Judged the documents of the tag in the sample.
	From   *float64 `json:"from,omitempty"`
	Right  int      `json:"right"`
	Wrong  int      `json:"wrong"`
	Judged int      `json:"judged"`

	// Needed is about how many more examples a silent tag needs, nil if that is not known.
	Needed *int `json:"needed,omitempty"`
}

// readTags describes the tags, at the default precision.
func (i *Summary) readTags(c *classify.Classifier) error {
	t, err := tags.New(c, tags.Options{})
	if err != nil {
		return err
	}
	info, err := t.Info()
	if err != nil {
		return err
	}
	if i.Due, err = c.FitDue(calibration.RefitGrowth); err != nil {
		return err
	}
	i.Precision, i.Calibrated, i.Tags = info.Precision, info.Calibrated, []Tag{}
	for _, one := range info.Tags {
		tag := Tag{Tag: one.Tag, Documents: one.Documents, Speaks: one.Speaks, Right: one.Right, Wrong: one.Wrong, Judged: one.Scored}
		if one.Speaks {
			tag.From = new(numeric.Logistic(one.Cut))
		}
		if one.Needed >= 0 {
			tag.Needed = &one.Needed
		}
		i.Tags = append(i.Tags, tag)
	}
	return nil
}

// PrintTags prints a table of the tags.
func (i *Summary) PrintTags(p *terminal.Streams) error {
	t := terminal.Table{Numeric: []bool{false, true, true, true, true}}
	t.Add("tag", "documents", "said from", "right", "found", "needs")
	silent := 0
	for _, tag := range i.Tags {
		row := []string{terminal.Printable(tag.Tag), terminal.Grouped(tag.Documents), "-", "-", "-", ""}
		switch {
		case tag.Speaks:
			row[2] = fmt.Sprintf("%.3f", *tag.From)
			row[3] = fmt.Sprintf("%.1f %%", 100*float64(tag.Right)/float64(tag.Right+tag.Wrong))
			row[4] = fmt.Sprintf("%.1f %%", 100*float64(tag.Right)/float64(tag.Judged))
		case tag.Needed != nil:
			row[5] = fmt.Sprintf("about %s more", terminal.Grouped(*tag.Needed))
		default:
			row[5] = "better examples: it is taken for others"
		}
		if !tag.Speaks {
			silent++
		}
		t.Add(row...)
	}
	if err := t.Write(p.Stdout); err != nil || silent == 0 {
		return err
	}
	p.Printf("\n%s: no sure answer until %.3g %% of them are right; --precision asks for less.\n",
		terminal.Counted(silent, "tag is silent", "tags are silent"), 100*i.Precision)
	return nil
}

// addTags adds the summary of all tags to the head.
func (i *Summary) addTags(t *terminal.Table) {
	t.Add("tags", terminal.Grouped(len(i.Tags)))
	switch {
	case i.Calibrated > 0:
		t.Add("calibrated", i.calibratedAt(i.Calibrated))
	case i.Documents < CalibratedFrom:
		t.Add("calibrated", fmt.Sprintf("no (training does that from %d documents on)", CalibratedFrom))
	default:
		t.Add("calibrated", "no ('polya calibrate' does that)")
	}
}
