//go:build !lean

package main

import (
	"io"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/polya/internal/plots"
)

// writePage writes the page of 'polya eval --html'. What draws it brings fonts,
// which every start of the program pays for: see evalpage_lean.go.
func writePage(w io.Writer, r *evaluation.Report) error { return plots.HTML(w, r) }
