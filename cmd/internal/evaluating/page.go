package evaluating

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

//go:embed page.css
var sheet string

// section is a part of the page with figures.
type section struct {
	title   string
	read    string // one line on how to read it
	notes   []string
	figures []figure
}

// writeHTML writes the text of a report and figures as one HTML document that needs nothing
// else: the figures are SVG elements, and there are neither scripts nor addresses. Text from
// the corpus, such as the names of classes, is escaped. The same report gives the same bytes.
func writeHTML(to io.Writer, r *evaluation.Report) error {
	var content bytes.Buffer
	if err := writeText(&content, r); err != nil {
		return err
	}
	title := "Evaluation: " + printable(r.Run.Title)
	p := new(page)
	p.line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
	p.line("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>%[1]s</h1>\n<dl>", text(title), sheet)
	for _, f := range facts(r) {
		p.line("<div><dt>%s</dt><dd>%s</dd></div>", text(f[0]), text(printable(f[1])))
	}
	p.line("</dl>\n<div class=\"scroll\"><pre>%s</pre></div>", text(content.String()))
	for _, s := range []section{rocSection(r), reliabilitySection(r), curveSection(r), presenceSection(r)} {
		if len(s.figures) > 0 {
			p.section(&s)
		}
	}
	p.line("</body>\n</html>")
	_, err := to.Write(p.Bytes())
	return err
}

// facts describes the run and its data.
func facts(r *evaluation.Report) [][2]string {
	var list [][2]string
	for _, path := range r.Run.Data {
		list = append(list, [2]string{"data", path})
	}
	return append(list, [][2]string{
		{"date", r.Run.Time.Format("2006-01-02 15:04:05 MST")}, {"version", r.Run.Program}, {"command", r.Run.Command},
		{"seed", fmt.Sprint(r.Seed)}, {"analyzer", r.Analyzer},
	}...)
}

// page is an HTML document. A template would keep every method of the program linked and make it
// a third larger. Text goes through text; what is between tags is ours.
type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// text escapes text.
func text(s string) string { return html.EscapeString(s) }

// printable returns a name from the corpus as one line without control characters.
func printable(s string) string { return terminal.Printable(s) }

func (p *page) section(s *section) {
	p.line("<section>\n<h2>%s</h2>\n<p>%s</p>\n<div class=\"parts\">", text(s.title), text(s.read))
	for i := range s.figures {
		p.figure(&s.figures[i])
	}
	p.line("</div>")
	for _, note := range s.notes {
		p.line("<p>%s</p>", text(note))
	}
	p.line("</section>")
}

func (p *page) figure(f *figure) {
	p.line("<figure>\n<figcaption>%s</figcaption>\n<div class=\"scroll\">%s</div>", text(f.Caption), f.SVG)
	if len(f.Legend) > 0 {
		p.line(`<ul class="legend">`)
		for _, k := range f.Legend {
			p.line("<li>%s<span>%s</span></li>", k.Sample, text(k.Name))
		}
		p.line("</ul>")
	}
	p.line("</figure>")
}
