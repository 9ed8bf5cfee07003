package page

import (
	"cmp"
	"context"
	"slices"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
)

// document is the data of the screen of one message.
type document struct {
	engine.Kept
	Why    why
	Picker picker
}

// Changed reports whether the answer would be different now.
func (d *document) Changed() bool {
	return d.Class != d.Now.Class || d.Unsure != d.Now.Unsure
}

func (v *visit) document(k engine.Kept) document {
	k.Subject = cmp.Or(k.Subject, "(no subject)")
	return document{k, weigh(&k.Now), v.picker(probable(&k.Now), k.Learned.Said())}
}

func (p *page) document(v *visit) error {
	if err := p.revise(v); err != nil {
		return err
	}
	kept, err := p.Admin.kept(v, v.User, v.field("id"))
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
	list, all, err := p.Admin.review(v, v.User, shownReview)
	if err != nil {
		return err
	}
	b := &review{Keeps: p.Admin.Keeps(), All: all}
	for _, k := range list {
		b.List = append(b.List, v.document(k))
	}
	if len(list) == 0 {
		b.Any = len(p.Admin.Decisions(v.User, 1)) > 0
	}
	v.Body = b
	return nil
}

// kept returns an answered message, with the answer it would get now.
func (d *Admin) kept(ctx context.Context, user, id string) (engine.Kept, error) {
	list, err := d.Again(ctx, user, []string{id}, true)
	if err != nil {
		return engine.Kept{}, err
	}
	if len(list) == 0 {
		return engine.Kept{}, backend.ErrDecision
	}
	learned, err := d.learned(ctx, user, []backend.Decision{list[0].Decision})
	if err != nil {
		return engine.Kept{}, err
	}
	list[0].Learned = learned[0]
	return list[0], nil
}

// recent is the number of last untaught messages from which the ones to review are chosen, and
// reviewed the number of those that were least sure, which are classified again.
const recent, reviewed = 500, 30

// review returns the answered messages that nobody has taught, the most informative first:
// those that are unsure now, then those whose two likeliest classes are closest.
func (d *Admin) review(ctx context.Context, user string, limit int) ([]engine.Kept, int, error) {
	untaught, err := d.untaught(ctx, user)
	if err != nil {
		return nil, 0, err
	}
	last := untaught[:min(len(untaught), recent)]
	slices.SortStableFunc(last, func(a, b backend.Decision) int {
		return cmp.Compare(rank(a.Unsure, a.Probability), rank(b.Unsure, b.Probability))
	})
	var ids []string
	for _, x := range last[:min(len(last), reviewed)] {
		ids = append(ids, x.ID)
	}
	list, err := d.Again(ctx, user, ids, true)
	slices.SortStableFunc(list, func(a, b engine.Kept) int {
		return cmp.Compare(rank(a.Now.Unsure, margin(a.Now.Posterior)), rank(b.Now.Unsure, margin(b.Now.Posterior)))
	})
	return list[:min(limit, len(list))], len(untaught), err
}

// rank orders answers, the least sure first: all that are unsure, then by x, 0 to 1.
func rank(unsure bool, x float64) float64 {
	if unsure {
		return x - 2
	}
	return x
}

func margin(posterior []float64) float64 {
	if len(posterior) < 2 {
		return 0
	}
	return posterior[0] - posterior[1]
}

// untaught returns the newest answer about each message that nobody has taught.
func (d *Admin) untaught(ctx context.Context, user string) ([]backend.Decision, error) {
	list := d.Decisions(user, 0)
	learned, err := d.learned(ctx, user, list)
	if err != nil {
		return nil, err
	}
	var first []backend.Decision
	seen := make(map[string]bool)
	for i, x := range list {
		if !seen[x.ID] && learned[i].Said() == "" {
			first = append(first, x)
		}
		seen[x.ID] = true
	}
	return first, nil
}
