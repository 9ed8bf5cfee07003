//go:build lean

package main

import (
	"errors"
	"io"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
)

// writePage refuses: a program built with -tags lean, for starting once a message,
// has nothing to draw with.
func writePage(io.Writer, *evaluation.Report) error {
	return errors.New("this polya was built with -tags lean and draws no pages; build it without, or use --json")
}
