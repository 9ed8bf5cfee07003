package plots

import (
	"math"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// table is a table of words and numbers.
type table struct {
	Caption string
	Head    []head
	Rows    [][]cell
	Heat    bool // cells are shaded by their Share
}

// head is the heading of a column.
type head struct {
	Text   string
	Number bool // aligned right
}

// cell is a cell of a table.
type cell struct {
	Text   string
	Number bool
	Best   bool    // of its column
	Share  float64 // 0 to 1
}

// printable returns a name from the corpus as one line without control characters.
func printable(s string) string { return terminal.Printable(s) }

// words returns the cell of a text, which may come from the corpus.
func words(s string) cell { return cell{Text: printable(s)} }

func whole(n int) cell { return cell{Text: terminal.Grouped(n), Number: true} }

// decimals returns the cell of a number with so many digits after the point.
func decimals(x float64, digits int) cell { return cell{Text: fixedPoint(x, digits), Number: true} }

func share(x float64) cell {
	c := decimals(100*x, 1)
	if !math.IsNaN(x) {
		c.Text += "\u00a0%"
	}
	return c
}

// fixedPoint writes a number, or a dash if there is none.
func fixedPoint(x float64, digits int) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// probability returns the cell of a probability; small ones all read alike.
func probability(x float64) cell {
	if x < .0001 {
		return cell{Text: "<\u00a00.0001", Number: true}
	}
	return decimals(x, 4)
}

// markBest marks the cells of a column that read the same as its best value. If all do,
// or there is only one row, none is marked.
func markBest(t *table, column int, values []float64, greater bool) {
	best := -1
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if best < 0 || greater && v > values[best] || !greater && v < values[best] {
			best = i
		}
	}
	if best < 0 {
		return
	}
	text, same := t.Rows[best][column].Text, 0
	for _, row := range t.Rows {
		if row[column].Text == text {
			same++
		}
	}
	for i := range t.Rows {
		t.Rows[i][column].Best = same < len(t.Rows) && t.Rows[i][column].Text == text
	}
}
