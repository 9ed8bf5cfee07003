package answer

import (
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// shown is the number of bytes of a message that are shown to a person.
const shown = 64 << 10

// passages returns the beginning of a message as it was read, with the places of the reasons.
func passages(a *tokenize.Analyzer, message []byte, reasons []backend.Reason) (list []backend.Passage) {
	weights := make(map[string]float64, len(reasons))
	for _, r := range reasons {
		weights[r.Term] = r.Bits
	}
	for _, part := range mail.Show(a, message[:min(len(message), shown)], weights) {
		if part.Header && len(part.Places) == 0 && part.Name != "from" && part.Name != "subject" {
			continue
		}
		p := backend.Passage{Field: part.Name, Line: part.Header || part.Name == "url" || part.Name == "file", Text: part.Text}
		for _, s := range part.Places {
			p.Spans = append(p.Spans, backend.Span{Begin: s.Start, End: s.End, Term: s.Term, Bits: weights[s.Term]})
		}
		list = append(list, p)
	}
	return list
}
