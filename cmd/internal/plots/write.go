package plots

import (
	"fmt"
	"html"
	"strings"
)

// page writes a report as HTML. A template would keep every method of the program linked
// and make it a third larger. Text goes through text; what is between tags is ours.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// text escapes text.
func text(s string) string { return html.EscapeString(s) }

func (p *page) document(d *document) {
	p.line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
	p.line("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>%[1]s</h1>\n<dl>", text(d.Title), d.Sheet)
	for _, f := range d.Facts {
		p.line("<div><dt>%s</dt><dd>%s</dd></div>", text(f[0]), text(f[1]))
	}
	p.line("</dl>")
	p.each(d.Notes, `<p class="note">%s</p>`)
	p.line("<nav aria-label=\"Contents\">\n<ul>")
	for _, s := range d.Sections {
		p.line(`<li><a href="#%s">%s</a></li>`, text(s.ID), text(s.Title))
	}
	p.line("</ul>\n</nav>")
	for i := range d.Sections {
		p.section(&d.Sections[i])
	}
	p.line("</body>\n</html>")
}

// each writes a line for each text.
func (p *page) each(list []string, format string) {
	for _, s := range list {
		p.line(format, text(s))
	}
}

func (p *page) section(s *section) {
	p.line("<section id=\"%s\">\n<h2>%s</h2>", text(s.ID), text(s.Title))
	if len(s.Figures)+len(s.Tables) > 0 {
		p.line(`<p class="read">%s</p>`, text(s.Read))
	}
	p.each(s.Missing, `<p class="missing">%s</p>`)
	if len(s.Figures) > 0 {
		p.line(`<div class="parts">`)
		for i := range s.Figures {
			p.figure(&s.Figures[i])
		}
		p.line("</div>")
	}
	if len(s.Tables) > 0 {
		p.line(`<div class="parts">`)
		for i := range s.Tables {
			p.table(&s.Tables[i])
		}
		p.line("</div>")
	}
	p.each(s.Notes, "<p>%s</p>")
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

func (p *page) table(t *table) {
	aligned := func(number bool) string {
		if number {
			return ` class="n"`
		}
		return ""
	}
	p.line("<div class=\"scroll\">\n<table%s>", map[bool]string{true: ` class="heat"`}[t.Heat])
	if t.Caption != "" {
		p.line("<caption>%s</caption>", text(t.Caption))
	}
	p.WriteString("<thead><tr>")
	for _, h := range t.Head {
		fmt.Fprintf(p, `<th scope="col"%s>%s</th>`, aligned(h.Number), text(h.Text))
	}
	p.line("</tr></thead>\n<tbody>")
	for _, row := range t.Rows {
		p.WriteString("<tr>")
		for _, c := range row {
			content := text(c.Text)
			if c.Best {
				content = "<b>" + content + "</b>"
			}
			shaded := ""
			if c.Share > 0 {
				background, ink := shade(c.Share)
				shaded = fmt.Sprintf(` style="background:%s;color:%s"`, background, ink)
			}
			fmt.Fprintf(p, "<td%s%s>%s</td>", aligned(c.Number), shaded, content)
		}
		p.line("</tr>")
	}
	p.line("</tbody>\n</table>\n</div>")
}
