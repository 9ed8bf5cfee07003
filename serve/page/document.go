package page

import (
	"cmp"

	"github.com/polya-classifier/polya/serve/backend"
)

// document is the data of the screen of one message.
type document struct {
	backend.Kept
	Why    why
	Picker picker
}

// Changed reports whether the answer would be different now.
func (d *document) Changed() bool {
	return d.Class != d.Now.Class || d.Unsure != d.Now.Unsure
}

func (p *page) document(v *visit) error {
	if err := p.revise(v); err != nil {
		return err
	}
	kept, err := p.Admin.Kept(v, v.User, v.field("id"))
	if err != nil {
		return err
	}
	kept.Subject = cmp.Or(kept.Subject, "(no subject)")
	v.Screen, v.Title, v.Body = "document", kept.Subject, &document{kept, weigh(&kept.Now), v.picker(probable(&kept.Now), kept.Learned.Said())}
	return nil
}

// shownReview is the number of messages to review on one page.
const shownReview = 15

// review is the data of the screen of that name.
type review struct {
	Keeps bool
	Any   bool // message was asked about
	All   int
	List  []reviewed
}

// reviewed is a message to review.
type reviewed struct {
	backend.Kept
	Why    why
	Picker picker
}

func (p *page) review(v *visit) error {
	if err := p.revise(v); err != nil {
		return err
	}
	v.Screen, v.Title = "review", "Review"
	list, all, err := p.Admin.Review(v, v.User, shownReview)
	if err != nil {
		return err
	}
	b := &review{Keeps: p.Admin.Keeps(), All: all}
	for _, k := range list {
		k.Subject = cmp.Or(k.Subject, "(no subject)")
		b.List = append(b.List, reviewed{k, weigh(&k.Now), v.picker(probable(&k.Now), "")})
	}
	if len(list) == 0 {
		last, err := p.Admin.Decisions(v.User, 1)
		if err != nil {
			return err
		}
		b.Any = len(last) > 0
	}
	v.Body = b
	return nil
}
