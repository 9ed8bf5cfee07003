package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// matrixClasses is the greatest number of classes whose confusion is drawn.
const matrixClasses = 25

// confusions is the greatest number of confusions that a table lists.
const confusions = 30

// nameLength is to how many characters names are cut in figures.
const nameLength = 22

func confusionSection(r *evaluation.Report) (section, error) {
	s := section{ID: "confusion", Title: "Confusion",
		Read: "A row holds the documents of one class, a column what was said of them; the darker a cell, the greater its share of the row, and what lies beside the diagonal is wrong."}
	if len(r.Classes) > matrixClasses {
		s.Read = fmt.Sprintf("With more than %d classes the map is too large to read: these are the greatest confusions.", matrixClasses)
	}
	for _, m := range r.Models {
		name := printable(m.Name)
		switch {
		case documents(m.Confusion) == 0:
			s.Missing = append(s.Missing, name+" was asked about no document: there is nothing to confuse.")
		case len(m.Confusion) != len(r.Classes):
			s.Missing = append(s.Missing, name+" has counts for other classes than the report: they are not drawn.")
		case len(r.Classes) > matrixClasses:
			s.Tables = append(s.Tables, confusionTable(name, m))
		default:
			f, err := confusionFigure(name, r.Classes, m.Confusion)
			if err != nil {
				return s, err
			}
			s.Figures = append(s.Figures, f)
		}
	}
	return s, nil
}

// documents returns the sum of the counts.
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

// confusionFigure draws the counts as a map: a row for each true class, a column for
// each class that was said. It is dark where most of the row is.
func confusionFigure(model string, classes []evaluation.Class, counts [][]int) (figure, error) {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = short(c.Name, nameLength)
	}
	p := newPlot("said to be", "true class")
	nominal(&p.X, names)
	p.X.Tick.Label.Rotation = math.Pi / 2
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	up := slices.Clone(names)
	slices.Reverse(up)
	nominal(&p.Y, up)
	p.Add(matrix(counts))
	side := vg.Length(math.Min(math.Max(240/float64(len(names)), 21), 60))
	size := side*vg.Length(len(names)) + widest(names)
	return drawn(p, size+45, size+40, model)
}

// nominal makes an axis of cells of width 1 around 0, 1, …, with these names.
func nominal(a *plot.Axis, names []string) {
	a.Min, a.Max = -.5, float64(len(names))-.5
	ticks := make([]plot.Tick, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: name}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
	a.Tick.Length = 0
	a.LineStyle.Width = 0
	a.Padding = vg.Points(3)
}

// widest returns the width of the widest name as a tick.
func widest(names []string) vg.Length {
	var most vg.Length
	sty := style(tickSize, draw.XLeft, draw.YBottom)
	for _, name := range names {
		most = max(most, sty.Width(name))
	}
	return most
}

// matrix plots counts in cells; row 0 is at the top.
type matrix [][]int

// Plot draws the cells.
func (m matrix) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, row := range m {
		of := math.Max(float64(sum(row)), 1)
		up := float64(len(m) - 1 - i)
		for j, count := range row {
			at := vg.Rectangle{
				Min: vg.Point{X: x(float64(j) - .5), Y: y(up - .5)},
				Max: vg.Point{X: x(float64(j) + .5), Y: y(up + .5)},
			}
			drawCount(c, at, count, float64(count)/of)
		}
	}
	c.StrokeLines(draw.LineStyle{Color: grey, Width: .7}, frame(c.Rectangle))
}

// drawCount draws one cell. Nothing is written where nothing was counted. The shade
// is that of the square root of the share, which lets a share of 1 % be seen.
func drawCount(c draw.Canvas, r vg.Rectangle, count int, share float64) {
	dark := math.Sqrt(share)
	corners := frame(r)
	if count > 0 {
		c.FillPolygon(shade(dark), corners[:4])
	}
	c.StrokeLines(draw.LineStyle{Color: faint, Width: .4}, corners)
	if count == 0 {
		return
	}
	text := strconv.Itoa(count)
	sty := style(labelSize, draw.XCenter, draw.YCenter)
	sty.Color = on(dark)
	if room := r.Size().X - 3; sty.Width(text) > room {
		sty.Font.Size *= room / sty.Width(text)
	}
	c.FillText(sty, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y+r.Max.Y)/2 + 1}, text)
}

// frame returns the corners of r, the first at both ends.
func frame(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
}

// confusionTable lists the greatest confusions of a model.
func confusionTable(name string, m *evaluation.Model) table {
	t := table{Caption: name, Head: []head{{"true class", false}, {"said to be", false}, {"documents", true}}}
	for _, c := range m.Confusions[:min(len(m.Confusions), confusions)] {
		t.Rows = append(t.Rows, []cell{words(c.Class), words(c.Said), whole(c.Docs)})
	}
	return t
}
