package plots

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

//go:embed html/report.css
var sheet string

// document is a report in parts.
type document struct {
	Sheet    string
	Title    string
	Facts    [][2]string
	Notes    []string
	Sections []section
}

// section is a part of the report: figures, tables, and a sentence for each missing one.
type section struct {
	ID, Title string
	Read      string // one line on how to read it
	Notes     []string
	Missing   []string
	Figures   []figure
	Tables    []table
}

// HTML writes the report as one HTML document that needs nothing else: its figures are
// SVG elements, and it has neither scripts nor addresses. Text from the corpus, such as
// the names of classes, is escaped. A sentence names each part without data: in its
// section or, if a whole section is missing, at the end. The same report gives the same
// bytes. It returns an error if writing fails; r is only read.
func HTML(w io.Writer, r *evaluation.Report) error {
	d := document{Sheet: sheet, Title: title(r), Facts: facts(r), Sections: present(sections(r))}
	for _, note := range r.Notes {
		d.Notes = append(d.Notes, printable(note))
	}
	var p page
	p.document(&d)
	_, err := io.WriteString(w, p.String())
	return err
}

func sections(r *evaluation.Report) []section {
	list := []section{modelSection(r), comparisonSection(r), confusionSection(r), rocSection(r), precisionSection(r),
		reliabilitySection(r), curveSection(r)}
	if r.Study {
		list = append(list, presenceSection(r), densitySection(r))
	}
	return append(list, classSection(r), termSection(r))
}

// present returns the sections that have a figure or a table, and one that lists the
// missing ones.
func present(all []section) []section {
	absent := section{ID: "absent", Title: "Not in this report"}
	var list []section
	for _, s := range all {
		if len(s.Figures)+len(s.Tables) > 0 {
			list = append(list, s)
			continue
		}
		for _, sentence := range s.Missing {
			absent.Missing = append(absent.Missing, s.Title+". "+sentence)
		}
	}
	if len(absent.Missing) > 0 {
		list = append(list, absent)
	}
	return list
}

// manyModels is the number of models above which only the default one and the baseline
// have figures and tables of their own.
const manyModels = 4

// detailed returns the models that have figures and tables of their own, by their
// indices in r.Models, the default model first, and a note on those that have none.
func detailed(r *evaluation.Report) (indices []int, notes []string) {
	for i, m := range r.Models {
		switch {
		case m == r.DefaultModel():
			indices = append([]int{i}, indices...)
		case len(r.Models) <= manyModels || m.Name == baseline:
			indices = append(indices, i)
		}
	}
	if n := len(r.Models) - len(indices); n > 0 {
		notes = append(notes, fmt.Sprintf("The other %s are in the output of --json, or in a report of fewer models.", terminal.Counted(n, "model", "models")))
	}
	return indices, notes
}
