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

var (
	colors = []color.Color{color.RGBA{0, 90, 160, 255}, color.RGBA{200, 80, 0, 255}, color.RGBA{110, 110, 110, 255}}
	band   = color.RGBA{255, 225, 215, 255}
)

// bins is the number of parts of the time that the plot tells apart.
const bins = 400

// draw writes the plot to a file, in the format that its name ends in.
func draw(path string, all []*scenario) error {
	d := drawing{all: all, start: all[0].teach.started}
	d.bin = all[len(all)-1].settled.Sub(d.start) / bins
	rate, err := d.panel("trainings acknowledged a second", [][]plotter.XY{d.rate()}, "")
	if err != nil {
		return err
	}
	var lags [][]plotter.XY
	for node := range size {
		lags = append(lags, d.lag(node))
	}
	lag, err := d.panel("longest lag, s", lags, "node ")
	if err != nil {
		return err
	}
	lag.X.Label.Text, lag.Y.Scale, lag.Y.Tick.Marker, lag.Legend.Top = "s", plot.LogScale{}, plot.LogTicks{Prec: -1}, true
	lag.Y.Max *= 5 // room for the legend
	for _, s := range all {
		name, err := plotter.NewLabels(plotter.XYLabels{XYs: []plotter.XY{{X: d.at(s.teach.started), Y: rate.Y.Max}}, Labels: []string{" " + s.fault.name}})
		if err != nil {
			return err
		}
		name.TextStyle[0].Rotation, name.TextStyle[0].XAlign, name.TextStyle[0].YAlign = -1.5708, 0, 0
		name.TextStyle[0].Font.Size = vg.Points(7)
		rate.Add(name)
	}
	canvas, err := vgdraw.NewFormattedCanvas(26*vg.Centimeter, 17*vg.Centimeter, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return err
	}
	gap := vg.Points(8)
	tiles := vgdraw.Tiles{Rows: 2, Cols: 1, PadY: gap, PadTop: gap, PadBottom: gap, PadLeft: gap, PadRight: gap}
	plots := [][]*plot.Plot{{rate}, {lag}}
	for i, row := range plot.Align(plots, tiles, vgdraw.New(canvas)) {
		plots[i][0].Draw(row[0])
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

// drawing is what the plot shows.
type drawing struct {
	all   []*scenario
	start time.Time
	bin   time.Duration
}

func (d *drawing) at(t time.Time) float64 { return t.Sub(d.start).Seconds() }

// rate is the trainings a second of each bin.
func (d *drawing) rate() []plotter.XY {
	counts := make([]plotter.XY, bins+1)
	for i := range counts {
		counts[i].X = (time.Duration(i) * d.bin).Seconds()
	}
	for _, s := range d.all {
		for _, a := range s.teach.acks {
			counts[min(int(a.at.Sub(d.start)/d.bin), bins)].Y += 1 / d.bin.Seconds()
		}
	}
	return counts
}

// lag is the longest lag of a node in each bin that has one.
func (d *drawing) lag(node int) (points []plotter.XY) {
	longest := make(map[int]time.Duration)
	for _, s := range d.all {
		for _, l := range s.lags[node] {
			i := int(l.at.Sub(d.start) / d.bin)
			longest[i] = max(longest[i], l.lag, look)
		}
	}
	for i, l := range longest {
		points = append(points, plotter.XY{X: (time.Duration(i) * d.bin).Seconds(), Y: l.Seconds()})
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return int(a.X/d.bin.Seconds()+.5) - int(b.X/d.bin.Seconds()+.5) })
	return points
}

// panel has a line of each list of points, on bands for the time of the faults.
func (d *drawing) panel(title string, lines [][]plotter.XY, names string) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = title
	top, bottom := 0., .005
	for _, points := range lines {
		for _, at := range points {
			top = max(top, at.Y)
		}
	}
	if names == "" {
		top, bottom = top*1.5, 0
	}
	for _, s := range d.all {
		if s.began.IsZero() {
			continue
		}
		from, to := d.at(s.began), d.at(s.ended)
		area, err := plotter.NewPolygon(plotter.XYs{{X: from, Y: bottom}, {X: to, Y: bottom}, {X: to, Y: top}, {X: from, Y: top}})
		if err != nil {
			return nil, err
		}
		area.Color, area.LineStyle.Width = band, 0
		p.Add(area)
	}
	p.Add(plotter.NewGrid())
	for i, points := range lines {
		l, err := plotter.NewLine(plotter.XYs(points))
		if err != nil {
			return nil, err
		}
		l.Color, l.Width = colors[i], vg.Points(.8)
		if p.Add(l); names != "" {
			p.Legend.Add(names+name(i), l)
		}
	}
	p.Y.Min, p.Y.Max = bottom, top
	return p, nil
}
