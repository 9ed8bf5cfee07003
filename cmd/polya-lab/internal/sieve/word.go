package sieve

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
	"github.com/polya-classifier/polya/tokenize"
)

// writing is the spelling of a condition's word in the subjects given: a term may be
// folded or a stem, and Sieve compares letters.
type writing struct {
	parts  []string // the shortest part of each chunk that gives the term
	chunks []string // the text between the spaces around the word
}

type words struct {
	analyzer *tokenize.Analyzer
	bag      tokenize.Bag
}

type subjectWords struct {
	chunks []string
	having map[string][]string // by term: the chunks that give it
}

const (
	// maxChunks bounds the words examined in a subject, and maxChunk the bytes of each:
	// nobody files mail by longer words.
	maxChunks = 1000
	maxChunk  = 256
)

func (s *words) read(subject string) subjectWords {
	w := subjectWords{having: make(map[string][]string)}
	for chunk := range strings.FieldsSeq(subject) {
		if len(w.chunks) == maxChunks {
			break
		}
		if len(chunk) > maxChunk || !IsText(chunk) {
			continue
		}
		w.chunks = append(w.chunks, chunk)
		s.bag.Reset()
		s.analyzer.Text(&s.bag, "subject", []byte(chunk))
		for i := range s.bag.Len() {
			term, _ := s.bag.At(i)
			w.having[string(term)] = append(w.having[string(term)], chunk)
		}
	}
	return w
}

// find adds to w the spelling of a condition's word in a subject; it reports whether the
// word is there.
func (s *words) find(w *writing, c rule.Condition, in *subjectWords) bool {
	chunks := in.having[c.Term()]
	for _, chunk := range chunks {
		w.add(s.part(chunk, c.Term()), chunk)
	}
	if len(chunks) > 0 {
		return true
	}
	found := false
	for _, chunk := range in.chunks { // some stems depend on more than the word
		if strings.Contains(lowerASCII(chunk), c.Value) {
			w.add(c.Value, chunk)
			found = true
		}
	}
	return found
}

func (w *writing) add(part, chunk string) {
	w.parts, w.chunks = append(w.parts, lowerASCII(part)), append(w.chunks, lowerASCII(chunk))
}

// part returns the shortest part of chunk that still gives the term.
func (s *words) part(chunk, term string) string {
	for {
		_, n := utf8.DecodeRuneInString(chunk)
		if n == len(chunk) || !s.gives(chunk[n:], term) {
			break
		}
		chunk = chunk[n:]
	}
	for {
		_, n := utf8.DecodeLastRuneInString(chunk)
		if n == len(chunk) || !s.gives(chunk[:len(chunk)-n], term) {
			return chunk
		}
		chunk = chunk[:len(chunk)-n]
	}
}

// gives reports whether a subject with this text gives the term.
func (s *words) gives(text, term string) bool {
	s.bag.Reset()
	s.analyzer.Text(&s.bag, "subject", []byte(text))
	for i := range s.bag.Len() {
		if t, _ := s.bag.At(i); string(t) == term {
			return true
		}
	}
	return false
}

// least returns list sorted, without duplicates and without strings that contain another one.
func least(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(slices.Clone(list), func(long string) bool {
		return slices.ContainsFunc(list, func(short string) bool { return short != long && strings.Contains(long, short) })
	})
}
