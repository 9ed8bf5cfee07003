package page

import (
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// well is the data of the screen "how well".
type well struct {
	Keeps    bool
	Since    string // of the form
	Record   backend.Record
	Weeks    columns
	Measured *backend.Measured // nil unless it was asked for
	Diagram  reliability
	Curve    curve
}

func (p *page) well(v *visit) (err error) {
	v.Screen, v.Title = "well", "How well"
	b := &well{Keeps: p.Desk.Keeps(), Since: v.field("since")}
	since, wrong := time.ParseInLocation(time.DateOnly, b.Since, time.Local)
	if wrong != nil {
		b.Since, since = "", time.Time{}
	}
	if b.Record, err = p.Desk.Record(v, v.User, since); err != nil {
		return err
	}
	b.Weeks = weekColumns(b.Record.Weeks)
	if v.query.Has("measure") {
		m, err := p.Desk.Measure(v, v.User)
		if err != nil {
			return err
		}
		b.Measured, b.Diagram, b.Curve = &m, reliabilityOf(m.Reliability), curveOf(m.Curve)
	}
	v.Body = b
	return nil
}

// Taught reports whether anything was taught in the weeks shown.
func (w *well) Taught() bool {
	for _, k := range w.Record.Weeks {
		if k.Taught > 0 {
			return true
		}
	}
	return false
}

// cell is a cell of a confusion matrix.
type cell struct {
	N    int
	Heat int // 0 to 4
	Same bool
}

// Confused returns the rows of the confusion matrix.
func (w *well) Confused() [][]cell {
	var rows [][]cell
	for i, counts := range w.Measured.Confusion.Counts {
		all := 0
		for _, n := range counts {
			all += n
		}
		var cells []cell
		for j, n := range counts {
			c := cell{N: n, Same: i == j}
			if n > 0 {
				c.Heat = 1 + min(3, 4*n/(all+1))
			}
			cells = append(cells, c)
		}
		rows = append(rows, cells)
	}
	return rows
}
