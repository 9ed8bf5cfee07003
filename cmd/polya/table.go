package main

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A table is rows of cells, aligned when printed. The cells must be printable.
type table struct {
	numeric []bool // columns that are aligned on the right
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table, two spaces between columns.
func (t *table) write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		start := b.Len()
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell))
			if i < len(t.numeric) && t.numeric[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		line := strings.TrimRight(b.String()[start:], " ")
		rest := b.String()[:start] + line + "\n"
		b.Reset()
		b.WriteString(rest)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
