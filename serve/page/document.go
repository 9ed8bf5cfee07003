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

func (v *visit) document(k backend.Kept) document {
	k.Subject = cmp.Or(k.Subject, "(no subject)")
	return document{k, weigh(&k.Now), v.picker(probable(&k.Now), k.Learned.Said())}
}

func (p *page) document(v *visit) error {
	if err := p.revise(v); err != nil {
		return err
	}
	kept, err := p.Admin.Kept(v, v.User, v.field("id"))
	if err != nil {
		return err
	}
	d := v.document(kept)
	v.Screen, v.Title, v.Body = "document", d.Subject, &d
	return nil
}

// shownReview is the number of messages to review on one page.
const shownReview = 15

// review is the data of the screen of that name.
type review struct {
	Keeps bool
	Any   bool // message was asked about
	All   int
	List  []document
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
		b.List = append(b.List, v.document(k))
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
