package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

// decisions is the data of the screen of that name.
type decisions struct {
	Keeps   bool
	Rows    []row
	All     int // decisions that are kept
	Chosen  int // by the filter
	Unsure  int // of all
	Sources []string
	Filter  filter
	Picker  picker
	pager
}

type filter struct {
	Class, State, Source, Text string
}

// Any reports whether it leaves anything out.
func (f filter) Any() bool { return f != filter{} }

// row is a decision and what was taught since.
type row struct {
	backend.Decision
	Learned   *backend.Entry
	Corrected bool     // it is learned as another class than the one answered, or without that tag
	Likely    []string // where the answer is unsure and nobody has taught the message: its likeliest classes now
}

// suggested is the number of likeliest classes of a row, each of which one click teaches.
const suggested = 3

func (f *filter) want(d *backend.Decision) bool {
	return (f.Class == "" || d.Class == f.Class) && (f.Source == "" || d.Source == f.Source) && (f.State != "unsure" || d.Unsure) &&
		(f.Text == "" || strings.Contains(strings.ToLower(d.Sender+"\n"+d.Subject), strings.ToLower(f.Text)))
}

// wantState selects by what was taught.
func (f *filter) wantState(r *row) bool {
	switch f.State {
	case "untaught":
		return r.Learned == nil
	case "corrected":
		return r.Corrected
	}
	return true
}

func (p *page) decisions(v *visit) error {
	if err := p.revise(v); err != nil {
		return err
	}
	v.Screen, v.Title = "decisions", "Decisions"
	all := p.Admin.Decisions(v.User, 0)
	b := &decisions{Keeps: p.Admin.Keeps(), All: len(all), Filter: filter{v.field("class"), v.field("state"), v.field("source"), v.field("text")}}
	for _, d := range all {
		if !slices.Contains(b.Sources, d.Source) {
			b.Sources = append(b.Sources, d.Source)
		}
		if d.Unsure {
			b.Unsure++
		}
	}
	slices.Sort(b.Sources)
	chosen := slices.DeleteFunc(all, func(d backend.Decision) bool { return !b.Filter.want(&d) })
	byState := b.Filter.State == "untaught" || b.Filter.State == "corrected"
	begin := 0
	if b.Chosen = len(chosen); !byState {
		chosen, begin = shown(v, chosen)
	}
	rows, err := p.rows(v, chosen)
	if err != nil {
		return err
	}
	if byState {
		rows = slices.DeleteFunc(rows, func(r row) bool { return !b.Filter.wantState(&r) })
		b.Chosen = len(rows)
		rows, begin = shown(v, rows)
	}
	if err := p.suggest(v, rows); err != nil {
		return err
	}
	b.Picker = v.picker(b.answered(rows), "")
	b.Rows = rows
	b.pager = v.pages("/", begin, len(rows), b.Chosen, "class", b.Filter.Class, "state", b.Filter.State, "source", b.Filter.Source, "text", b.Filter.Text)
	v.Body = b
	return nil
}

// answered returns the classes that rows were answered as, the most frequent first.
func (b *decisions) answered(rows []row) (list []choice) {
	n := make(map[string]int)
	for _, r := range rows {
		if n[r.Class]++; n[r.Class] == 1 {
			list = append(list, choice{Class: r.Class})
		}
	}
	slices.SortStableFunc(list, func(x, y choice) int { return n[y.Class] - n[x.Class] })
	return list
}

// rows returns decisions with the ledger's entries for their messages.
func (p *page) rows(v *visit, list []backend.Decision) ([]row, error) {
	learned, err := p.Admin.learned(v, v.User, list)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(list))
	for i, d := range list {
		d.Subject = cmp.Or(d.Subject, "(no subject)")
		rows[i] = row{Decision: d, Learned: learned[i]}
		if learned[i] != nil {
			has := slices.Contains(v.each(learned[i].Class), d.Class)
			rows[i].Corrected = has == (v.Tags && d.Unsure)
		}
	}
	return rows, nil
}

// suggest finds the likeliest classes of rows.
func (p *page) suggest(v *visit, rows []row) error {
	of := make(map[string][]*row) // two programs may have asked about one message
	for i, r := range rows {
		if r.Unsure && r.Learned.Said() == "" {
			of[r.ID] = append(of[r.ID], &rows[i])
		}
	}
	list, err := p.Admin.Again(v, v.User, slices.Collect(maps.Keys(of)), false)
	for _, k := range list {
		for _, r := range of[k.ID] {
			r.Likely = k.Now.Classes[:min(suggested, len(k.Now.Classes))]
		}
	}
	return err
}
