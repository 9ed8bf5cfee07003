package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

// A change is asked for by somebody to whom the message was shown as of class Was, or of none.
type change struct {
	backend.Revision
	Was string
}

// JSON is the change as a field of a form.
func (c change) JSON() (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

// changes returns what a form asks for: to teach messages, or to put them back as they were before
// that. There are none if the form names no class, or no message.
func (v *visit) changes() (list []change, class string, err error) {
	if v.form.Has("undo") {
		for _, text := range v.form.Values["revision"] {
			var c change
			if json.Unmarshal([]byte(text), &c) != nil {
				return nil, "", errForm
			}
			list = append(list, c)
		}
		return list, "", nil
	}
	if id, class, one := strings.Cut(v.form.Get("one"), " "); one { // a suggestion for a message that nobody had taught
		return []change{{backend.Revision{ID: id, Class: v.one(class)}, ""}}, class, nil
	}
	ids := v.form.Values["id"]
	if len(ids) == 0 {
		v.Status = &status{Text: "Nothing was taught: choose messages first, and then a class."}
		return nil, "", nil
	}
	if class, err = v.class(); class == "" || err != nil {
		return nil, "", err
	}
	for _, text := range ids {
		id, was, _ := strings.Cut(text, " ")
		list = append(list, change{backend.Revision{ID: id, Class: v.with(was, class, len(ids) == 1)}, was})
	}
	return list, class, nil
}

func (p *page) revise(v *visit) error {
	if !v.posted() {
		return nil
	}
	users := make(map[string]string)
	for _, d := range p.Admin.Decisions(v.User, 0) {
		users[d.ID] = d.User
	}
	return p.teach(v, users, func(list []backend.Revision) ([]backend.Revised, error) { return p.Admin.Revise(v, v.User, list, by) })
}

// teach has revise do what a form asks about messages, and sets the status. What somebody else has
// taught since the form was shown stays. users are those who were answered, by the ids of messages.
func (p *page) teach(v *visit, users map[string]string, revise func([]backend.Revision) ([]backend.Revised, error)) error {
	list, class, err := v.changes()
	if len(list) == 0 || err != nil {
		return err
	}
	asked := make([]backend.Decision, len(list))
	for i, c := range list {
		asked[i] = backend.Decision{ID: c.ID, User: users[c.ID]}
	}
	learned, err := p.Admin.learned(v, v.User, asked)
	if err != nil {
		return err
	}
	var mine, before []backend.Revision
	theirs := ""
	for i, c := range list {
		if now := learned[i].Said(); now != c.Was && now != c.Class {
			theirs = now
			continue
		}
		back := backend.Revision{ID: c.ID}
		if e := learned[i]; e != nil {
			back.Class, back.By = e.Class, e.Source
		}
		mine, before = append(mine, c.Revision), append(before, back)
	}
	results, err := revise(mine)
	if err != nil {
		return err
	}
	if v.form.Has("undo") {
		v.Status = &status{Text: fmt.Sprintf("Put back: %d %s as before.", len(mine), plural(len(mine), "message"))}
	} else {
		p.last.Store(v.User, class)
		v.Status = taught(mine, before, results, class)
	}
	if left := len(list) - len(mine); left > 0 {
		v.Status.Text = strings.TrimSpace(v.Status.Text + " " + changed(left, theirs))
	}
	return nil
}

// changed says that messages were taught otherwise in the meantime; theirs is the class of one of them.
func changed(n int, theirs string) string {
	if n > 1 {
		return fmt.Sprintf("%d were taught otherwise meanwhile, in another window or by somebody else: they stay so.", n)
	}
	if theirs == "" {
		return "It was taken back meanwhile, in another window or by somebody else: it stays so."
	}
	return fmt.Sprintf("It was taught as %s meanwhile, in another window or by somebody else: it stays so.", brief(theirs))
}

// taught describes the results of teaching messages as now says, which before puts back.
func taught(now, before []backend.Revision, results []backend.Revised, class string) *status {
	s := new(status)
	for i, r := range results {
		if r.Outcome != backend.Unchanged {
			s.Undo = append(s.Undo, change{before[i], now[i].Class})
		}
	}
	if len(now) == 1 {
		class = now[0].Class
	}
	changed, same, name := len(s.Undo), len(results)-len(s.Undo), brief(class)
	switch {
	case len(results) == 0:
	case changed == 0 && same == 1:
		s.Text = fmt.Sprintf("It was taught as %s before.", name)
	case changed == 0:
		s.Text = fmt.Sprintf("All %d were taught as %s before.", same, name)
	case same == 0:
		s.Text = fmt.Sprintf("Taught %d %s as %s.", changed, plural(changed, "message"), name)
	default:
		s.Text = fmt.Sprintf("Taught %d %s as %s; %d were so before.", changed, plural(changed, "message"), name, same)
	}
	return s
}
