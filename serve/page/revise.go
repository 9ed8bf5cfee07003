package page

import (
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

// revise teaches the messages chosen in a form, or undoes a teaching, and sets the
// status.
func (p *page) revise(v *visit) error {
	if !v.posted() {
		return nil
	}
	class := v.form.Get("teach")
	var list []backend.Revision
	if v.form.Has("undo") {
		for _, text := range v.form.Values["revision"] {
			id, was, _ := strings.Cut(text, " ")
			list = append(list, backend.Revision{ID: id, Class: was})
		}
	} else if class != "" {
		for _, id := range v.form.Values["id"] {
			list = append(list, backend.Revision{ID: id, Class: class})
		}
	}
	if len(list) == 0 {
		v.Status = &status{Text: "Nothing was taught: choose messages first, and then a class."}
		return nil
	}
	results, err := p.Desk.Revise(v, v.User, list, by)
	if err != nil {
		return err
	}
	v.Status = taught(list, results, class)
	return nil
}

// taught describes the results of a list of revisions; class is "" if they undo others.
func taught(list []backend.Revision, results []backend.Revised, class string) *status {
	s := new(status)
	for i, r := range results {
		if r.Outcome != backend.Unchanged {
			s.Undo = append(s.Undo, backend.Revision{ID: list[i].ID, Class: r.From})
		}
	}
	changed, same := len(s.Undo), len(list)-len(s.Undo)
	switch {
	case class == "":
		s.Text, s.Undo = fmt.Sprintf("Undone: %d %s as before.", len(list), plural(len(list), "message")), nil
	case changed == 0 && same == 1:
		s.Text = fmt.Sprintf("It was taught as %s before.", class)
	case changed == 0:
		s.Text = fmt.Sprintf("All %d were taught as %s before.", same, class)
	case same == 0:
		s.Text = fmt.Sprintf("Taught %d %s as %s.", changed, plural(changed, "message"), class)
	default:
		s.Text = fmt.Sprintf("Taught %d %s as %s; %d were so before.", changed, plural(changed, "message"), class, same)
	}
	return s
}
