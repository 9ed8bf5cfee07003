package explanation

import (
	"math"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
)

// marked are the shares of the largest contribution from which a term gets one, two and three
// marks.
var marked = [...]float64{.08, .25, .6}

// text prints the document as it was read, with contributing terms marked in place: by
// colours in a terminal, elsewhere as [+word] and [-word].
func (x *Explained) text(p *terminal.Streams) {
	weights, most := make(map[string]float64), 0.0
	for i := range x.Explanation.Terms {
		if t := &x.Explanation.Terms[i]; !math.IsNaN(t.LogOdds) {
			weights[t.Term] = max(-math.MaxFloat64, min(t.LogOdds, math.MaxFloat64))
			most = max(most, math.Abs(weights[t.Term]))
		}
	}
	for term, w := range weights {
		if math.Abs(w) < marked[0]*most {
			delete(weights, term)
		}
	}
	mark := brackets
	if terminal.IsTerminal(p.Stdout) && os.Getenv("NO_COLOR") == "" {
		mark = coloured
	}
	header := false
	for i, spans := range x.Trace.Strongest(weights) {
		part := &x.Trace.Parts[i]
		if len(spans) == 0 && part.Name != "" && part.Name != "invisible" {
			continue
		}
		var b strings.Builder
		at := 0
		for _, s := range spans {
			level := 1
			for level < len(marked) && math.Abs(weights[s.Term]) >= marked[level]*most {
				level++
			}
			b.WriteString(lines(part.Text[at:s.Start], part.Header))
			b.WriteString(mark(lines(part.Text[s.Start:s.End], part.Header), level, weights[s.Term] > 0))
			at = s.End
		}
		b.WriteString(lines(part.Text[at:], part.Header))
		if !header || !part.Header {
			p.Printf("\n")
		}
		header = part.Header
		p.Printf("%s%s\n", heading(part), emptyLines().ReplaceAllString(strings.Trim(b.String(), " \n"), "\n\n"))
	}
}

// emptyLines matches the runs of empty lines that HTML leaves for its elements.
var emptyLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n( *\n){2,}`) })

// heading returns the heading of a part.
func heading(part *tokenize.Part) string {
	switch {
	case part.Header, part.Name == "file":
		return part.Name + ": "
	case part.Name == "url":
		return "link: "
	case part.Name == "invisible":
		return "hidden text:\n"
	}
	return ""
}

// lines returns text as printable lines of a terminal, or as one line.
func lines(text string, one bool) string {
	with := "\n"
	if one {
		with = " "
	}
	list := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range list {
		list[i] = terminal.Printable(strings.ReplaceAll(line, "\t", " "))
	}
	return strings.Join(list, with)
}

// brackets marks a text with level signs.
func brackets(text string, level int, favour bool) string {
	sign := "-"
	if favour {
		sign = "+"
	}
	return "[" + strings.Repeat(sign, level) + text + "]"
}

// coloured marks a text green or red, and bold or underlined by its level.
func coloured(text string, level int, favour bool) string {
	colour := "31"
	if favour {
		colour = "32"
	}
	return "\x1b[" + colour + []string{"", ";1", ";1;4"}[level-1] + "m" + text + "\x1b[0m"
}
