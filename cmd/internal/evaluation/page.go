package evaluation

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/eval"
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
	p.section("ROC", "What share of the positives is missed (up) if only so many of the negatives may be called positive (across): lower left is better. The mark is what was said; a rate of 0 is drawn as half a document.", rocFigure(r))
	p.section("Reliability", fmt.Sprintf("Of the documents of which the class was said with this probability (across), this share is of it (up), with its 95\u00a0%% Wilson interval: honest probabilities lie on the diagonal, overconfident ones below. Lines join bins of %d documents or more.", fewDocuments), reliabilityFigures(r))
	p.line("</body>\n</html>")
	_, err := to.Write(p.Bytes())
	return err
}

// page is an HTML document. A template would keep every method of the program linked and make it
// a third larger. Text is escaped; what is between tags is ours.
type page struct{ bytes.Buffer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// section adds a part with figures, if there are any, and how to read them.
func (p *page) section(title, read, figures string) {
	if figures != "" {
		p.line("<section>\n<h2>%s</h2>\n<p>%s</p>\n<div class=\"parts\">\n%s</div>\n</section>", html.EscapeString(title), html.EscapeString(read), figures)
	}
}

// figure returns a drawing with the names of its lines. The legend is HTML, which has room for names
// of any length and script.
func (c *chart) figure(caption string, names ...string) string {
	p := new(page)
	p.line("<figure>\n<figcaption>%s</figcaption>\n<div class=\"scroll\">%s</div>\n<ul class=\"legend\">", html.EscapeString(caption), c.svg(caption))
	for i, name := range names {
		p.line(`<li><svg viewBox="0 0 34 10" width="34pt" role="img" aria-label="line %d"><path d="M1,5H33" %s/></svg><span>%s</span></li>`, i+1, look(i), html.EscapeString(name))
	}
	p.line("</ul>\n</figure>")
	return p.String()
}

// fewDocuments is the number of documents below which a bin is not joined to its
// neighbours: its frequency has a standard error of 16 points or more.
const fewDocuments = 10

// rocFigure has the curves of all models for the positive class: the miss rate against the
// false-positive rate, both on scales of logarithms. It is empty if they cannot be drawn.
func rocFigure(r *Report) string {
	positive := slices.IndexFunc(r.Classes, func(c Class) bool { return c.Name == r.Positive })
	if positive < 0 {
		return ""
	}
	c, names := chart{}, []string(nil)
	for i, m := range r.Models {
		roc := m.Results.ROC(positive)
		if roc.Positives == 0 || roc.Negatives == 0 {
			return ""
		}
		low := rates(&roc, eval.Point{TruePositives: roc.Positives}) // the same of all models
		c.x, c.y = axis{"false-positive rate", low.X}, axis{"miss rate", low.Y}
		var steps []point // across before up or down
		for k, p := range roc.Points {
			at := rates(&roc, p)
			if k > 0 {
				steps = append(steps, point{at.X, steps[len(steps)-1].Y})
			}
			steps = append(steps, at)
		}
		c.line(look(i), steps...)
		c.mark(i, rates(&roc, decided(m, positive)))
		names = append(names, terminal.Printable(m.Name))
	}
	return c.figure("positive: "+terminal.Printable(r.Positive), names...)
}

// decided returns the operating point of the answers of class i.
func decided(m *Model, i int) eval.Point {
	c := m.Results.Confusion()
	return eval.Point{TruePositives: c.Counts[i][i], FalsePositives: c.Of(i).Said - c.Counts[i][i]}
}

// rates returns where p is drawn: its false-positive rate and its miss rate.
func rates(roc *eval.ROC, p eval.Point) point {
	missed := float64(roc.Positives - p.TruePositives)
	return point{
		X: max(float64(p.FalsePositives), .5) / float64(roc.Negatives),
		Y: max(missed, .5) / float64(roc.Positives),
	}
}

// reliabilityFigures has the observed frequency of answers against their probability, of the models
// that are shown.
func reliabilityFigures(r *Report) string {
	var b strings.Builder
	for i, m := range r.Models {
		if slices.Contains(r.shown(), m) {
			b.WriteString(reliability(terminal.Printable(m.Name)+": the class with the highest probability", i, m.Reliability))
		}
	}
	return b.String()
}

// reliability returns the figure of model i, "" if it has no answers.
func reliability(caption string, i int, bins []eval.Bin) string {
	c := chart{x: axis{label: "probability"}, y: axis{label: "share of which it is true"}}
	c.line(`stroke="`+grey+`" stroke-dasharray="3,3"`, point{0, 0}, point{1, 1})
	drawn, run := false, []point(nil)
	for _, b := range bins {
		if b.Docs == 0 {
			continue
		}
		at := point{b.Probability, b.Frequency}
		c.line(look(i), point{b.Probability, b.FrequencyLow}, point{b.Probability, b.FrequencyHigh})
		c.mark(i, at)
		if run = append(run, at); b.Docs < fewDocuments {
			run = nil
		} else if n := len(run); n > 1 {
			c.line(look(i), run[n-2:]...)
		}
		drawn = true
	}
	if !drawn {
		return ""
	}
	return c.figure(caption)
}
