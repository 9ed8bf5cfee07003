package mail

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// Part is a text of a message as it was read, in UTF-8 unless its charset is unknown.
type Part struct {
	// Name is the name of a header field in lower case, "url" for a link of a page, "file" for
	// the name of a file, "invisible" for hidden text and "" for visible text.
	Name   string
	Header bool // Name is the name of a header field
	Text   string
	Places []Place
}

// Place is the bytes from Start to End of a Part's Text, which give Term.
type Place struct {
	Start, End int
	Term       string
}

// Show returns the texts of a message that [Read] reads, each with the places of the terms
// that have a weight, in order and without overlaps: a byte of several terms belongs to one with
// the largest absolute weight. Where a term is not written as such, its place is all between two
// blanks.
func Show(a *tokenize.Analyzer, raw []byte, weights map[string]float64) (parts []Part) {
	s := scans.Get().(*scan)
	defer s.free()
	s.analyzer, s.bag, s.shown = a.Part(), new(tokenize.Bag), &parts
	s.read(raw)
	s.shown = nil
	for i := range parts {
		parts[i].Places = s.places(&parts[i], weights)
	}
	return parts
}

// show keeps a text for Show.
func (s *scan) show(name string, header bool, text []byte) {
	if s.shown != nil {
		*s.shown = append(*s.shown, Part{Name: name, Header: header, Text: string(text)})
	}
}

// maxPiece is the most bytes of a text without blanks in which terms are searched at once.
const maxPiece = 512

func (s *scan) places(p *Part, weights map[string]float64) (list []Place) {
	for at := 0; at < len(p.Text); {
		piece := []byte(p.Text[at:min(len(p.Text), at+maxPiece)])
		if n := bytes.IndexAny(piece, blank); n >= 0 {
			piece = piece[:n+1]
		} else if at+len(piece) < len(p.Text) {
			piece = window.Cut(piece, maxPiece-1)
		}
		owners := s.owners(p, bytes.TrimRight(piece, blank), weights)
		for start, end := 0, 0; start < len(owners); start = end {
			for end < len(owners) && owners[end] == owners[start] {
				end++
			}
			if owners[start] != "" {
				list = append(list, Place{at + start, at + end, owners[start]})
			}
		}
		at += len(piece)
	}
	return list
}

// owners returns the term to which each byte of a piece of a part belongs, "" for none.
func (s *scan) owners(p *Part, piece []byte, weights map[string]float64) []string {
	s.reset()
	s.bag.Reset()
	switch {
	case p.Header:
		s.fieldTerm(field{[]byte(p.Name), piece})
	case p.Name == "url":
		s.analyzer.URL(s.bag, piece)
	case p.Name == "file":
		s.file(piece)
	default:
		s.analyzer.Text(s.bag, p.Name, piece)
	}
	var terms []string
	for i := range s.bag.Len() {
		if term, _ := s.bag.At(i); weights[string(term)] != 0 {
			terms = append(terms, string(term))
		}
	}
	slices.SortStableFunc(terms, func(x, y string) int { return cmp.Compare(math.Abs(weights[x]), math.Abs(weights[y])) })
	owners := make([]string, len(piece))
	lower := bytes.ToLower(piece)
	for _, term := range terms {
		value := []byte(term[strings.IndexByte(term, ':')+1:])
		found := false
		for at := 0; len(value) > 0 && len(lower) == len(piece); at += len(value) {
			n := bytes.Index(lower[at:], value)
			if n < 0 {
				break
			}
			found, at = true, at+n
			fill(owners[at:at+len(value)], term)
		}
		if !found {
			fill(owners, term)
		}
	}
	return owners
}

func fill(owners []string, term string) {
	for i := range owners {
		owners[i] = term
	}
}
