package plots

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"text/template"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
)

//go:embed html/report.html
var page string

//go:embed html/report.css
var sheet string

// tmpl is parsed when it is needed: every start of the program would else pay, as it
// would for html/template. The page writes all that is not a drawing through html, and
// none of it within a tag but the ids of sections.
var tmpl = sync.OnceValue(func() *template.Template { return template.Must(template.New("report").Parse(page)) })

// document is what the template is filled with.
type document struct {
	Sheet    string
	Facts    [][2]string
	Notes    []string
	Sections []section
}

// section is a part of the report: figures, tables, or one sentence for each that
// there is not.
type section struct {
	ID, Title string
	Read      string // one line on how to read it
	Notes     []string
	Missing   []string
	Figures   []figure
	Tables    []table
}

// HTML writes the report as one HTML document that needs nothing else: its figures
// are SVG elements, and it has neither scripts nor addresses. What comes from the
// corpus, such as the names of classes, is text. A figure for which the report has no
// data is replaced by a sentence that says so. The same report gives the same bytes.
// It returns an error if writing fails; r is only read.
func HTML(w io.Writer, r *evaluation.Report) error {
	d := document{Sheet: sheet, Facts: facts(r), Sections: sections(r)}
	for _, note := range r.Notes {
		d.Notes = append(d.Notes, printable(note))
	}
	var b bytes.Buffer
	if err := tmpl().Execute(&b, d); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// sections returns the parts of the report in reading order.
func sections(r *evaluation.Report) []section {
	return []section{modelSection(r), comparisonSection(r), confusionSection(r), rocSection(r), reliabilitySection(r),
		curveSection(r), densitySection(r), classSection(r), termSection(r)}
}
