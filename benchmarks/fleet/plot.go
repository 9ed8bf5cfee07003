//go:build linux

package main

import (
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

var (
	colors = []color.Color{color.RGBA{0, 90, 160, 255}, color.RGBA{200, 80, 0, 255}, color.RGBA{110, 110, 110, 255}}
	band   = color.RGBA{255, 225, 215, 255}
)

// bins is the number of time intervals in the plot.
const bins = 400

// draw writes the plot to a file, in the format that its name ends in.
func draw(path string, all []*scenario) error {
	d := drawing{all: all, start: all[0].teach.started}
	d.end = d.at(all[len(all)-1].settled)
	d.bin = all[len(all)-1].settled.Sub(d.start) / bins
	rate, err := d.rates()
	if err != nil {
		return err
	}
	lag, err := d.lags()
	if err != nil {
		return err
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

// drawing holds the data of the plot.
type drawing struct {
	all   []*scenario
	start time.Time
	end   float64
	bin   time.Duration
}

func (d *drawing) at(t time.Time) float64 { return t.Sub(d.start).Seconds() }

// rates returns the upper half: trainings a second, and the names of the faults.
func (d *drawing) rates() (*plot.Plot, error) {
	counts, top := make(plotter.XYs, bins+1), 0.
	for i := range counts {
		counts[i].X = (time.Duration(i) * d.bin).Seconds()
	}
	for _, s := range d.all {
		for _, a := range s.teach.acks {
			i := min(int(a.at.Sub(d.start)/d.bin), bins)
			counts[i].Y += 1 / d.bin.Seconds()
			top = max(top, counts[i].Y)
		}
	}
	p, err := d.panel("trainings acknowledged a second", 0, 2*top) // room for the names
	if err != nil {
		return nil, err
	}
	l, err := plotter.NewLine(counts)
	if err != nil {
		return nil, err
	}
	l.Color, l.Width = colors[0], vg.Points(.8)
	p.Add(l)
	for _, s := range d.all {
		name, err := plotter.NewLabels(plotter.XYLabels{XYs: []plotter.XY{{X: d.at(s.teach.started), Y: 2 * top}}, Labels: []string{" " + s.fault.name}})
		if err != nil {
			return nil, err
		}
		style := &name.TextStyle[0]
		style.Rotation, style.YAlign, style.Font.Size = -math.Pi/2, text.YBottom, vg.Points(7)
		p.Add(name)
	}
	return p, nil
}

// lags returns the lower half: the longest lag of each node in each bin that has one.
func (d *drawing) lags() (*plot.Plot, error) {
	const least, most = .005, 200
	p, err := d.panel("longest lag, s", least, most)
	if err != nil {
		return nil, err
	}
	p.X.Label.Text, p.Y.Scale, p.Y.Tick.Marker = "s", plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.TextStyle.Font.Size = true, vg.Points(9)
	for node := range size {
		longest := make(map[int]time.Duration)
		for _, s := range d.all {
			for _, l := range s.lags[node] {
				i := int(l.at.Sub(d.start) / d.bin)
				longest[i] = max(longest[i], l.lag, look)
			}
		}
		var points plotter.XYs
		for i, l := range longest {
			points = append(points, plotter.XY{X: (time.Duration(i) * d.bin).Seconds(), Y: min(l.Seconds(), most)})
		}
		dots, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		dots.Color, dots.Radius, dots.Shape = colors[node], vg.Points(1.3), vgdraw.CircleGlyph{}
		p.Add(dots)
		p.Legend.Add("node "+name(node), dots)
	}
	return p, nil
}

// panel returns an empty plot, with bands for the times of the faults.
func (d *drawing) panel(title string, bottom, top float64) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = title
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
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, d.end, bottom, top
	return p, nil
}
