package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// ledger is the data of the screen of that name.
type ledger struct {
	found
	Rows       []learned
	Class      string
	Source     string
	Since      string
	Suspect    bool     // the rows are documents whose class is probably wrong
	Names      []string // of sources
	Documents  int
	Forgetting string           // the id of the document to forget, before confirmation
	Undoing    *classify.Undone // what an undo would take back, before confirmation
	pager
}

// learned is an entry, with the decision about its message.
type learned struct {
	backend.Entry
	Subject, Sender string // "" if there is no decision about it
}

func (p *page) ledger(v *visit) (err error) {
	v.Screen, v.Title = "ledger", "Learned"
	since, text := v.moment("since", "2006-01-02T15:04")
	b := &ledger{Class: v.field("class"), Source: v.field("source"), Since: text, Suspect: v.field("suspects") != ""}
	v.Body = b
	begin, _ := strconv.Atoi(v.field("from"))
	begin = max(0, begin)
	q := classify.Query{Class: b.Class, Since: since}
	if b.Source != "" {
		q.Source = &b.Source
	}
	switch {
	case !v.posted():
	case v.form.Get("move") != "" && v.form.Get("to") != "":
		err = p.relabel(v, v.form.Get("move"), v.form.Get("to"))
	case v.form.Get("forget") != "" && v.form.Has("sure"):
		err = p.relabel(v, v.form.Get("forget"), "")
	case v.form.Get("forget") != "":
		b.Forgetting = v.form.Get("forget")
	case v.form.Has("all") && b.Undoable() && !b.Suspect:
		err = p.undo(v, b, q)
	}
	if err != nil {
		return err
	}
	if b.found, err = p.Admin.ledger(v, v.User, q, b.Suspect, begin, onScreen); err != nil {
		return err
	}
	b.Names = slices.Sorted(maps.Keys(b.Sources))
	for _, n := range b.Sources {
		b.Documents += n
	}
	kept := p.Admin.Decisions(v.User, 0)
	of := make(map[string]*backend.Decision, len(kept))
	for i := range kept {
		of[kept[i].ID] = &kept[i]
	}
	for _, e := range b.Entries {
		row := learned{Entry: e}
		if d := of[e.ID]; d != nil {
			row.Subject, row.Sender = d.Subject, d.Sender
		}
		b.Rows = append(b.Rows, row)
	}
	b.pager = v.pages("/ledger", begin, len(b.Rows), b.All, "class", b.Class, "source", b.Source, "since", b.Since, "suspects", v.field("suspects"))
	return nil
}

// Filtered reports whether the screen shows a part of the ledger.
func (b *ledger) Filtered() bool { return b.Class != "" || b.Undoable() }

// Undoable reports whether what is shown can be undone, as by 'polya undo': what a source has
// taught, or what was learned since a moment. A class is deleted instead.
func (b *ledger) Undoable() bool { return b.Source != "" || b.Since != "" }

// undo takes back all selected entries once the user has confirmed it, unless there are more or fewer
// than he was shown.
func (p *page) undo(v *visit, b *ledger, q classify.Query) error {
	u, err := p.Admin.Undo(v, v.User, q, true)
	if err != nil {
		return err
	}
	if shown := v.form.Get("sure"); shown != strconv.Itoa(u.Documents) {
		if b.Undoing = &u; shown != "" {
			v.Status = &status{Text: "Nothing was undone: other documents are selected by now."}
		}
		return nil
	}
	if u, err = p.Admin.Undo(v, v.User, q, false); err == nil {
		v.Status = &status{Text: fmt.Sprintf("Undone: %d %s.", u.Documents, plural(u.Documents, "document"))}
	}
	return err
}

// relabel moves a document to a class, or takes it back if that is "".
func (p *page) relabel(v *visit, id, class string) error {
	outcome, err := p.Admin.Relabel(v, v.User, id, class, by)
	if err != nil {
		return err
	}
	if class != "" {
		class = ": " + class
	}
	v.Status = &status{Text: "The document " + short(id) + " is " + string(outcome) + class + "."}
	return nil
}

// found is a part of the ledger.
type found struct {
	Entries []backend.Entry
	All     int            // of which Entries are a part
	Sources map[string]int // of the whole ledger: documents

	Suspects int // documents whose class is probably wrong
}

func entry(e *store.Entry) backend.Entry {
	return backend.Entry{ID: e.ID.String(), Class: stated(e.Class), Time: e.Time.UTC(), Source: e.Source}
}

// stated returns the name of a class, or of a set of tags as backend.ClassOf states it.
func stated(class string) string {
	if list := count.Tags(class); list != nil {
		return backend.ClassOf(list)
	}
	return class
}

// suspects returns the documents whose class is probably wrong, the likeliest first.
func (d *Admin) suspects(ctx context.Context, user string) (list []backend.Entry, err error) {
	err = d.Read(ctx, user, func(c *classify.Classifier) error {
		found, err := c.Suspects()
		if err != nil {
			return err
		}
		return c.Store().View(func(s *store.Snapshot) error {
			names := make(map[count.ClassID]string)
			for _, class := range s.Classes() {
				names[class.ID] = class.Name
			}
			for _, x := range found {
				e, err := s.Entry(x.ID)
				if err != nil {
					return err
				}
				if e != nil && names[x.Likely] != "" {
					one := entry(e)
					one.Wrong, one.Likely = x.Wrong, names[x.Likely]
					list = append(list, one)
				}
			}
			return ctx.Err()
		})
	})
	return list, err
}

// ledger returns what was learned and selected, the newest first, or the suspects in its place: at most
// limit entries, behind those to skip.
func (d *Admin) ledger(ctx context.Context, user string, q classify.Query, suspect bool, skip, limit int) (found, error) {
	list := found{Sources: map[string]int{}}
	suspects, err := d.suspects(ctx, user)
	if err != nil {
		return list, err
	}
	list.Suspects = len(suspects)
	newest := numeric.Shortlist[backend.Entry]{Limit: skip + limit, Compare: func(a, b backend.Entry) int {
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	}}
	err = d.view(ctx, user, func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			list.Sources[e.Source]++
			if !q.Selects(e) {
				return ctx.Err()
			}
			list.All++
			newest.Add(entry(e))
			return ctx.Err()
		})
	})
	if suspect {
		list.All, suspects = len(suspects), suspects[min(skip, len(suspects)):]
		list.Entries = suspects[:min(limit, len(suspects))]
		return list, err
	}
	list.Entries = newest.First()
	list.Entries = list.Entries[min(skip, len(list.Entries)):]
	return list, err
}

// learned returns the ledger's entry for each decision, nil for none, from the database of its user.
func (d *Admin) learned(ctx context.Context, user string, list []backend.Decision) ([]*backend.Entry, error) {
	entries := make([]*backend.Entry, len(list))
	rows := make(map[string][]int)
	for i, x := range list {
		owner := cmp.Or(user, x.User)
		rows[owner] = append(rows[owner], i)
	}
	for owner, rows := range rows {
		look := func(s *store.Snapshot) error {
			for _, i := range rows {
				id, err := count.ParseDocID(list[i].ID)
				if err != nil {
					continue
				}
				e, err := s.Entry(id)
				if err != nil {
					return err
				}
				if e != nil {
					this := entry(e)
					entries[i] = &this
				}
			}
			return ctx.Err()
		}
		err := d.view(ctx, owner, look)
		if errors.Is(err, backend.ErrUser) {
			err = d.view(ctx, "", look) // the shared database answers for him
		}
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}
