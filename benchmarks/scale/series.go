//go:build linux && (amd64 || arm64)

package main

import (
	"iter"

	"gonum.org/v1/plot/plotter"
)

// series yields the points of l by number of classes, or for a floor only the first number.
func (l *line) series(all []result) iter.Seq2[int, plotter.XYs] {
	return func(yield func(int, plotter.XYs) bool) {
		for i := 0; i < len(all); {
			classes := all[i].classes
			var points plotter.XYs
			for ; i < len(all) && all[i].classes == classes; i++ {
				// A time too short to be measured cannot be shown on a logarithmic scale.
				points = append(points, plotter.XY{X: float64(all[i].documents), Y: max(l.value(&all[i]), .01)})
			}
			if !yield(classes, points) || l.floor {
				return
			}
		}
	}
}
