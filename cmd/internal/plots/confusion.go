package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

// matrixClasses is the largest number of classes for which the matrix is drawn.
const matrixClasses = 25

// confusions is the greatest number of confusions that a table lists.
const confusions = 30

// nameLength is the largest number of characters of names at an axis. If one is longer,
// the axis has numbers, and the legend the names.
const nameLength = 32

func confusionSection(r *evaluation.Report) section {
	s := section{ID: "confusion", Title: "Confusion",
		Read: "A row holds the documents of one class, a column what was said of them; the darker a cell, the greater its share of the row, and what lies beside the diagonal is wrong."}
	if len(r.Classes) > matrixClasses {
		s.Read = fmt.Sprintf("With more than %d classes the map is too large to read: these are the greatest confusions.", matrixClasses)
	}
	indices, notes := detailed(r)
	s.Notes = notes
	for _, i := range indices {
		m := r.Models[i]
		name := printable(m.Name)
		switch {
		case documents(m.Confusion) == 0:
			s.Missing = append(s.Missing, name+" was asked about no document: there is nothing to confuse.")
		case len(m.Confusion) != len(r.Classes):
			s.Missing = append(s.Missing, name+" has counts for other classes than the report: they are not drawn.")
		case len(r.Classes) > matrixClasses:
			s.Tables = append(s.Tables, confusionTable(name, m))
		default:
			s.Figures = append(s.Figures, confusionFigure(name, r.Classes, m.Confusion))
		}
	}
	return s
}

func documents(counts [][]int) int {
	n := 0
	for _, row := range counts {
		n += sum(row)
	}
	return n
}

func sum(row []int) int {
	n := 0
	for _, count := range row {
		n += count
	}
	return n
}

// confusionFigure draws the counts as a heat map: a row for each true class, a column for
// each class answered, darker for a larger share of the row.
func confusionFigure(model string, classes []evaluation.Class, counts [][]int) figure {
	names, legend := axisNames(classes)
	p := newChart("said to be", "true class")
	nominal(&p.x, names)
	up := slices.Clone(names)
	slices.Reverse(up)
	nominal(&p.y, up)
	p.add(matrix(counts).draw)
	side := math.Min(math.Max(240/float64(len(names)), 21), 60)
	size := side*float64(len(names)) + widest(names, tickSize)
	f := drawn(p, size+45, size+40, model)
	f.Legend = legend
	return f
}

// axisNames returns the labels of classes at an axis: their names, or numbers that the
// legend explains.
func axisNames(classes []evaluation.Class) (names []string, legend []key) {
	long := false
	for _, c := range classes {
		names = append(names, printable(c.Name))
		long = long || utf8.RuneCountInString(c.Name) > nameLength
	}
	if !long {
		return names, nil
	}
	for i := range names {
		number := strconv.Itoa(i + 1)
		legend = append(legend, key{Name: number + " " + names[i]})
		names[i] = number
	}
	return names, legend
}

// nominal makes an axis of cells of width 1 around 0, 1, …, with these names.
func nominal(a *axis, names []string) {
	a.low, a.high, a.names = -.5, float64(len(names))-.5, true
	for i, name := range names {
		a.ticks = append(a.ticks, tick{float64(i), name})
	}
}

// matrix is counts in cells; row 0 is at the top.
type matrix [][]int

func (m matrix) draw(c *canvas, f field) {
	for i, row := range m {
		of := math.Max(float64(sum(row)), 1)
		up := float64(len(m) - 1 - i)
		for j, count := range row {
			low, high := f.at(point{float64(j) - .5, up - .5}), f.at(point{float64(j) + .5, up + .5})
			drawCount(c, rectangle{low.X, low.Y, high.X, high.Y}, count, float64(count)/of)
		}
	}
	c.line(stroke{colour: grey, width: .7}, f.corners()...)
}

// drawCount draws one cell. A count of 0 is not written. The shade is that of the square
// root of the share, so that a share of 1 % is visible.
func drawCount(c *canvas, r rectangle, count int, share float64) {
	dark := math.Sqrt(share)
	if count > 0 {
		c.fill(shade(dark), 1, r.corners()[:4]...)
	}
	c.line(stroke{colour: faint, width: .4}, r.corners()...)
	if count == 0 {
		return
	}
	text, size := strconv.Itoa(count), labelSize
	if room, wide := r.right-r.left-3, textWidth(text, size); wide > room {
		size *= room / wide
	}
	c.text(lettering{colour: on(dark), size: size, along: .5}, point{(r.left + r.right) / 2, (r.bottom+r.top)/2 - capital*size/2}, text)
}

func confusionTable(name string, m *evaluation.Model) table {
	t := table{Caption: name, Head: []head{{"true class", false}, {"said to be", false}, {"documents", true}}}
	for _, c := range m.Confusions[:min(len(m.Confusions), confusions)] {
		t.Rows = append(t.Rows, []cell{words(c.Class), words(c.Said), whole(c.Docs)})
	}
	return t
}
