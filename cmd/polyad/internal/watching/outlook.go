package watching

import (
	"math"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// An Outlook is how filing would have done for learned messages, each judged without itself.
type Outlook struct {
	Sample  int     // messages that were judged
	Belong  int     // messages that are learned as the folder's class
	Filed   int     // messages that would have been filed into the folder
	Correct float64 // of Filed, as expected by the labels
}

// Outlook returns what would have been filed into f. All is 0 before anything is calibrated.
func (d *Database) Outlook(f *filing.Folder) (o Outlook, err error) {
	c, err := d.open()
	if c == nil || err != nil {
		return o, err
	}
	if c.Store().Tags() {
		return d.outlookOfTag(c, strings.TrimPrefix(f.Class, ","))
	}
	r, err := c.Record()
	if err != nil {
		return o, err
	}
	o.Sample = r.Documents()
	return o, c.Store().View(func(s *store.Snapshot) error {
		if at := count.ClassNamed(s.Classes(), f.Class); at >= 0 {
			class := s.Classes()[at]
			e := r.Earned(&class.ID, f.Precision, math.Log(f.Probability)-math.Log1p(-f.Probability))
			o.Belong, o.Filed, o.Correct = int(class.Docs), e.Filed, e.Right
		}
		return nil
	})
}

func (d *Database) outlookOfTag(c *classify.Classifier, name string) (o Outlook, err error) {
	t, err := tags.New(c, d.Share)
	if err != nil {
		return o, err
	}
	info, err := t.Info()
	o.Sample = int(info.Calibrated)
	for _, tag := range info.Tags {
		if tag.Tag == name {
			o.Belong, o.Filed, o.Correct = int(tag.Documents), tag.Right+tag.Wrong, float64(tag.Right)
		}
	}
	return o, err
}
