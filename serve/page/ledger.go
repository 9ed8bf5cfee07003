package page

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/overview"
)

// ledger is the data of the screen of that name.
type ledger struct {
	overview.LedgerList
	Rows       []learned
	Class      string
	Source     string
	Since      string
	Suspect    bool     // the rows are documents whose class is probably wrong
	Names      []string // of sources
	Documents  int
	Forgetting string           // the id of the document to forget, before confirmation
	Undoing    *overview.Undone // what an undo would take back, before confirmation
	pager
}

// learned is an entry, with the decision about its message.
type learned struct {
	backend.Entry
	Subject, Sender string // "" if there is no decision about it
}

func (p *page) ledger(v *visit) error {
	v.Screen, v.Title = "ledger", "Learned"
	b := &ledger{Class: v.field("class"), Source: v.field("source"), Since: v.field("since"), Suspect: v.field("suspects") != ""}
	v.Body = b
	since, err := time.ParseInLocation("2006-01-02T15:04", b.Since, time.Local)
	if err != nil {
		b.Since, since = "", time.Time{}
	}
	begin, _ := strconv.Atoi(v.field("from"))
	begin = max(0, begin)
	q := overview.LedgerQuery{Query: classify.Query{Class: b.Class, Since: since}, Skip: begin, Limit: onScreen, Suspect: b.Suspect}
	if b.Source != "" {
		q.Source = &b.Source
	}
	switch {
	case !v.posted():
		err = nil // a date that is none is left out
	case v.form.Has("move"):
		err = p.move(v)
	case v.form.Has("forget"):
		err = p.forget(v, b)
	case v.form.Has("all") && b.Undoable() && !b.Suspect:
		err = p.undo(v, b, q.Query)
	default:
		err = nil
	}
	if err != nil {
		return err
	}
	if b.LedgerList, err = p.Admin.Ledger(v, v.User, q); err != nil {
		return err
	}
	b.Names = slices.Sorted(maps.Keys(b.Sources))
	for _, n := range b.Sources {
		b.Documents += n
	}
	kept, err := p.Admin.Decisions(v.User, 0)
	if err != nil {
		return err
	}
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

// undo takes back all selected entries once the user has confirmed it, unless the selection has
// changed since it was shown.
func (p *page) undo(v *visit, b *ledger, q classify.Query) error {
	would, err := p.Admin.Undoing(v, v.User, q)
	if err != nil {
		return err
	}
	if shown := v.form.Get("sure"); shown == "" || shown != would.Selection {
		if b.Undoing = &would; shown != "" {
			v.Status = &status{Text: "Nothing was undone: other documents are selected by now."}
		}
		return nil
	}
	u, err := p.Admin.Undo(v, v.User, q, false)
	if err != nil {
		return err
	}
	v.Status = &status{Text: fmt.Sprintf("Undone: %d %s.", u.Documents, plural(u.Documents, "document"))}
	return nil
}

func (p *page) move(v *visit) error {
	id, class := v.form.Get("move"), v.form.Get("to")
	if class == "" {
		return nil
	}
	outcome, err := p.Admin.Relabel(v, v.User, id, class, by)
	if err != nil {
		return err
	}
	v.Status = &status{Text: "The document " + short(id) + " is " + string(outcome) + ": " + class + "."}
	return nil
}

// forget takes back one document once the user has confirmed it.
func (p *page) forget(v *visit, b *ledger) error {
	id := v.form.Get("forget")
	if id == "" {
		return nil
	}
	if !v.form.Has("sure") {
		b.Forgetting = id
		return nil
	}
	outcome, err := p.Admin.ForgetID(v, v.User, id)
	if err != nil {
		return err
	}
	v.Status = &status{Text: "The document " + short(id) + " is " + string(outcome) + "."}
	return nil
}
