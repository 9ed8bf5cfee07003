//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is one of the plots: a measure against the number of documents.
type panel struct {
	title, unit string
	lines       []line
}

type line struct {
	name  string
	value func(r *result) float64
	floor bool // it does not depend on classes: dashed, drawn once
}

var panels = [2][2]panel{
	{
		{"Learned in bulk", "documents a CPU second", []line{{"polya", func(r *result) float64 { return r.learned }, false}}},
		{"File", "MB", []line{{"file", func(r *result) float64 { return r.fileMB }, false}}},
	},
	{
		{"Look-up and scoring", "ns a term", []line{
			{"look-up", func(r *result) float64 { return r.warmNS }, false},
			{"multinomial", func(r *result) float64 { return r.multinomialNS }, false},
			{"cache line", func(r *result) float64 { return r.floor.lineNS }, true},
		}},
		{"One document learned durably", "ms", []line{
			{"median", func(r *result) float64 { return r.singleMS }, false},
			{"longest", func(r *result) float64 { return r.singleMax }, false},
			{"fdatasync", func(r *result) float64 { return r.floor.syncMS }, true},
		}},
	},
}

var colors = []color.Color{color.RGBA{0, 90, 160, 255}, color.RGBA{200, 80, 0, 255}, color.RGBA{0, 130, 70, 255}, color.RGBA{140, 60, 140, 255}}

// drawAll writes the plot to a file, in the format that its name ends in.
func drawAll(path string, all []result) error {
	canvas, err := draw.NewFormattedCanvas(22*vg.Centimeter, 17*vg.Centimeter, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return err
	}
	plots := make([][]*plot.Plot, len(panels))
	for row := range panels {
		for i := range panels[row] {
			p, err := panels[row][i].plot(all)
			if err != nil {
				return err
			}
			plots[row] = append(plots[row], p)
		}
	}
	gap := vg.Points(14)
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: gap, PadY: gap, PadTop: gap, PadBottom: gap, PadLeft: gap, PadRight: gap}
	for row, cells := range plot.Align(plots, tiles, draw.New(canvas)) {
		for i, c := range cells {
			plots[row][i].Draw(c)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := canvas.WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

func (p *panel) plot(all []result) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.title, "documents", p.unit
	out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	out.Legend.Top, out.Legend.Left = true, true
	out.Add(plotter.NewGrid())
	n := 0
	for _, l := range p.lines {
		for classes, points := range l.series(all) {
			drawn, marks, err := plotter.NewLinePoints(points)
			if err != nil {
				return nil, err
			}
			drawn.Color, marks.Color = colors[n%len(colors)], colors[n%len(colors)]
			name := fmt.Sprintf("%s, %d classes", l.name, classes)
			if l.floor {
				drawn.Dashes, name = []vg.Length{vg.Points(4), vg.Points(3)}, l.name
			}
			out.Add(drawn, marks)
			out.Legend.Add(name, drawn, marks)
			n++
		}
	}
	// Integral powers of ten, and above them room for the legend.
	out.Legend.TextStyle.Font.Size = vg.Points(9)
	out.Y.Min = math.Pow(10, math.Floor(math.Log10(out.Y.Min)))
	top := math.Ceil(math.Log10(out.Y.Max))
	out.Y.Max = math.Pow(10, top+(top-math.Log10(out.Y.Min))*.09*float64(n))
	return out, nil
}
