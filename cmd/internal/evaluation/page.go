package evaluation

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

//go:embed page.css
var sheet string

// writeHTML writes the text of a report and figures as one HTML document that needs nothing
// else: the figures are SVG elements, and there are neither scripts nor addresses. Text from
// the corpus, such as the names of classes, is escaped. The same report gives the same bytes.
func writeHTML(to io.Writer, r *Report) error {
	title := "Evaluation: " + terminal.Printable(r.Title)
	p := new(page)
	p.line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
	p.line("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>%[1]s</h1>\n<dl>", html.EscapeString(title), sheet)
	for _, f := range append(r.Facts, [2]string{"seed", fmt.Sprint(r.Seed)}, [2]string{"analyzer", r.Analyzer}) {
		p.line("<div><dt>%s</dt><dd>%s</dd></div>", html.EscapeString(f[0]), html.EscapeString(terminal.Printable(f[1])))
	}
	p.line("</dl>\n<div class=\"scroll\"><pre>%s</pre></div>", html.EscapeString(string(textOf(r))))
	for _, s := range []section{rocSection(r), reliabilitySection(r)} {
		if len(s.figures) > 0 {
			p.section(&s)
		}
	}
	p.line("</body>\n</html>")
	_, err := to.Write(p.Bytes())
	return err
}

// page is an HTML document. A template would keep every method of the program linked and make it
// a third larger. Text is escaped; what is between tags is ours.
type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) section(s *section) {
	p.line("<section>\n<h2>%s</h2>\n<p>%s</p>\n<div class=\"parts\">", html.EscapeString(s.title), html.EscapeString(s.read))
	for _, f := range s.figures {
		p.line("<figure>\n<figcaption>%s</figcaption>\n<div class=\"scroll\">%s</div>\n<ul class=\"legend\">", html.EscapeString(f.caption), f.svg)
		for i, name := range f.legend {
			p.line(`<li><svg viewBox="0 0 34 10" width="34pt" role="img" aria-label="line %d"><path d="M1,5H33" %s/></svg><span>%s</span></li>`, i+1, look(i), html.EscapeString(name))
		}
		p.line("</ul>\n</figure>")
	}
	p.line("</div>\n</section>")
}
