package statistics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// readTags describes the tags, at the default precision.
func (i *Summary) readTags(c *classify.Classifier) error {
	t, err := tags.New(c, 0)
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
	i.Precision, i.Calibrated, i.Tags = info.Precision, info.Calibrated, info.Tags
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

// tagsOf returns the tags of sets, with Name and Docs, in order of name.
func tagsOf(sets []*count.Class) (tags []*count.Class) {
	known := map[string]*count.Class{}
	for _, set := range sets {
		if set.Docs == 0 {
			continue
		}
		for _, tag := range count.Tags(set.Name) {
			if known[tag] == nil {
				known[tag] = &count.Class{Name: tag}
				tags = append(tags, known[tag])
			}
			known[tag].Docs += set.Docs
		}
	}
	slices.SortFunc(tags, func(a, b *count.Class) int { return cmp.Compare(a.Name, b.Name) })
	return tags
}

// Label returns the label of a class: its name, or in a database of tags its tags.
func Label(db *store.DB, class string) string {
	switch tags := count.Tags(class); {
	case !db.Tags():
		return class
	case len(tags) == 0:
		return "no tag"
	default:
		return strings.Join(tags, " + ")
	}
}
