//go:build linux

package main

import (
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

var colors = []color.Color{color.RGBA{0, 90, 160, 255}, color.RGBA{200, 80, 0, 255}, color.RGBA{120, 120, 120, 255}}

// draw writes the plot to a file, in the format that its name ends in.
func draw(path string, all []series) error {
	wall, err := panel("Wall time, other programs included", all, func(s series) []time.Duration { return s.wall })
	if err != nil {
		return err
	}
	own, err := panel("CPU time of the thread that trains", all, func(s series) []time.Duration { return s.thread })
	if err != nil {
		return err
	}
	wall.Y.Min, wall.Y.Max = min(wall.Y.Min, own.Y.Min), max(wall.Y.Max, own.Y.Max)*4 // room for the legend
	own.Y.Min, own.Y.Max = wall.Y.Min, wall.Y.Max
	canvas, err := vgdraw.NewFormattedCanvas(24*vg.Centimeter, 11*vg.Centimeter, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return err
	}
	gap := vg.Points(10)
	tiles := vgdraw.Tiles{Rows: 1, Cols: 2, PadX: gap, PadTop: gap, PadBottom: gap, PadLeft: gap, PadRight: gap}
	plots := [][]*plot.Plot{{wall, own}}
	for i, c := range plot.Align(plots, tiles, vgdraw.New(canvas))[0] {
		plots[0][i].Draw(c)
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

// panel plots the median and, dashed, the longest time of each hundredth of the steps.
func panel(title string, all []series, times func(series) []time.Duration) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "documents", "ms"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.TextStyle.Font.Size = true, vg.Points(9)
	p.Add(plotter.NewGrid())
	for i, s := range all {
		var median, longest plotter.XYs
		size := len(s.wall) / 100
		at := 0
		for part := range slices.Chunk(times(s), size) {
			at += len(part)
			sorted := slices.Sorted(slices.Values(part))
			// A time too short for the clock cannot be shown on a logarithmic scale.
			median = append(median, plotter.XY{X: float64(at), Y: max(milliseconds(sorted[len(sorted)/2]), .001)})
			longest = append(longest, plotter.XY{X: float64(at), Y: max(milliseconds(sorted[len(sorted)-1]), .001)})
		}
		for dashed, points := range []plotter.XYs{median, longest} {
			l, err := plotter.NewLine(points)
			if err != nil {
				return nil, err
			}
			l.Color = colors[i%len(colors)]
			if dashed == 1 {
				l.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
			} else {
				p.Legend.Add(s.name, l)
			}
			p.Add(l)
		}
	}
	return p, nil
}
