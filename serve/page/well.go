package page

import (
	"time"

	"github.com/polya-classifier/polya/serve/overview"
)

// well is the data of the screen about accuracy.
type well struct {
	Keeps  bool
	Since  string // of the form
	Record overview.Record
}

func (p *page) well(v *visit) (err error) {
	v.Screen, v.Title = "well", "Accuracy"
	b := &well{Keeps: p.Admin.Keeps(), Since: v.field("since")}
	if v.Body = b; v.Tags {
		return nil
	}
	since, wrong := time.ParseInLocation(time.DateOnly, b.Since, time.Local)
	if wrong != nil {
		b.Since, since = "", time.Time{}
	}
	b.Record, err = p.Admin.Record(v, v.User, since)
	return err
}
