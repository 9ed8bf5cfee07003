package engine

import (
	"strings"
	"unicode"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
)

// passages returns a message as a person reads it, and where in it its terms stand: words are
// looked up in lower case.
func passages(message []byte, reasons []backend.Reason) []backend.Passage {
	if message == nil {
		return nil
	}
	weights := make(map[string]float64, len(reasons))
	for _, r := range reasons {
		weights[r.Term] = r.Bits
	}
	sender, subject := decisions.Fields(message)
	_, body, found := strings.Cut(strings.ReplaceAll(string(message), "\r\n", "\n"), "\n\n")
	if !found {
		body = string(message)
	}
	list := []backend.Passage{{Field: "From", Text: sender}, {Field: "Subject", Text: subject}, {Text: strings.ToValidUTF8(body, "\uFFFD")}}
	for i := range list {
		list[i].Spans = spans(list[i].Text, strings.ToLower(list[i].Field), weights)
	}
	return list
}

// spans finds the words of a text that have weights, in a field also those of its own.
func spans(text, field string, weights map[string]float64) (list []backend.Span) {
	begin := -1
	look := func(end int) {
		if begin < 0 {
			return
		}
		word := strings.ToLower(text[begin:end])
		for _, term := range []string{field + ":" + word, word} {
			if bits, known := weights[term]; known {
				list = append(list, backend.Span{Begin: begin, End: end, Term: term, Bits: bits})
				break
			}
		}
		begin = -1
	}
	for i, r := range text {
		switch isWord := unicode.IsLetter(r) || unicode.IsDigit(r); {
		case isWord && begin < 0:
			begin = i
		case !isWord:
			look(i)
		}
	}
	look(len(text))
	return list
}
