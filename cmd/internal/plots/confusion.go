package plots

import (
	"fmt"
	"math"
	"strconv"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

// matrixClasses is the largest number of classes for which the matrix is shown, and
// confusions the greatest number of confusions that a table lists.
const (
	matrixClasses = 25
	confusions    = 30
)

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
		case r.Tested == 0:
			s.Missing = append(s.Missing, name+" was asked about no document: there is nothing to confuse.")
		case len(r.Classes) > matrixClasses:
			s.Tables = append(s.Tables, confusionTable(name, m))
		default:
			s.Tables = append(s.Tables, confusionMatrix(name, r.Classes, m.Confusion))
		}
	}
	return s
}

// confusionMatrix shows the counts as a heat map: a row for each true class, a column for
// each class answered. A count of 0 is not written.
func confusionMatrix(model string, classes []evaluation.Class, counts [][]int) table {
	t := table{Caption: model, Head: []head{{"class \\ said to be", false}}, Heat: true}
	for i, c := range classes {
		t.Head = append(t.Head, head{printable(c.Name), true})
		row, sum := []cell{words(c.Name)}, 0
		for _, n := range counts[i] {
			sum += n
		}
		for _, n := range counts[i] {
			x := cell{Number: true}
			if n > 0 {
				x.Text, x.Share = strconv.Itoa(n), float64(n)/float64(sum)
			}
			row = append(row, x)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shade returns the background and the text colour for a share of 0 to 1: from white to
// dark blue, by the square root, so that a share of 1 % is visible. At the bound black and
// white both have a contrast of 4.6.
func shade(share float64) (background, text string) {
	x := math.Sqrt(share)
	mix := func(dark float64) int { return int(math.Round(255 + x*(dark-255))) }
	text = "#000000"
	if x > .66 {
		text = "#ffffff"
	}
	return fmt.Sprintf("#%02x%02x%02x", mix(0x08), mix(0x30), mix(0x6b)), text
}

func confusionTable(name string, m *evaluation.Model) table {
	t := table{Caption: name, Head: []head{{"true class", false}, {"said to be", false}, {"documents", true}}}
	for _, c := range m.Confusions[:min(len(m.Confusions), confusions)] {
		t.Rows = append(t.Rows, []cell{words(c.Class), words(c.Said), whole(c.Docs)})
	}
	return t
}
