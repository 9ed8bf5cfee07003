package main

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
)

// Reasons why answers are unsure that lie in the document and not in what was learned.
const (
	reasonEmpty  classify.Reason = "empty"
	reasonBinary classify.Reason = "not text"
)

// doubt makes the answer about a document of nothing or of noise unsure.
func (d *document) doubt(r *classify.Result) {
	switch {
	case d.empty:
		r.Unsure, r.Reason = true, reasonEmpty
	case d.binary != "":
		r.Unsure, r.Reason = true, reasonBinary
	}
}

// refuse says whether the document is nothing to learn from. One that was named is
// trouble then, and one that was found in a folder is left out with a note.
func (r *reader) refuse(d *document) bool {
	switch named := slices.Contains(r.paths, d.path); {
	case !r.learns || !d.empty && d.binary == "":
		return false
	case d.empty && named:
		r.unfit = append(r.unfit, fmt.Errorf("%s: empty, and nothing to learn from", inputName(d.path)))
	case d.empty:
		r.remarks.empty.add(d.path)
	case named:
		r.unfit = append(r.unfit, fmt.Errorf("%s: %s, and nothing to learn from; --format text reads it all the same", inputName(d.path), d.binary))
	default:
		r.remarks.binary.add(d.path + ", " + d.binary)
	}
	return true
}
