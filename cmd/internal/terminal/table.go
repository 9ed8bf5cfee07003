package terminal

import (
	"io"
	"strings"
)

// A Table is rows of cells, aligned when printed. The cells must be printable.
type Table struct {
	Numeric []bool // columns that are aligned on the right
	Rows    [][]string
}

// NumbersFrom aligns the columns of the first row on the right, except the first few.
func (t *Table) NumbersFrom(first int) {
	for i := range t.Rows[0] {
		t.Numeric = append(t.Numeric, i >= first)
	}
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the table, two spaces between columns.
func (t *Table) Write(w io.Writer) error {
	var widths []int
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	for _, row := range t.Rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-Width(cell))
			if i < len(t.Numeric) && t.Numeric[i] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		if _, err := io.WriteString(w, strings.TrimRight(line.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
