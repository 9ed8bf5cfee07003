package mail

import (
	"strings"

	"github.com/polya-classifier/polya/tokenize"
)

// Defect says what Tokenize could not read in a message: a set of one or more of the Err
// constants. errors.Is(err, ErrDepth) reports whether one is in the set.
type Defect uint16

// The defects.
const (
	ErrDepth    Defect = 1 << iota // parts nest deeper than MaxDepth
	ErrParts                       // more than MaxParts parts
	ErrText                        // more than MaxText bytes of text, or MaxMarkup with markup
	ErrHeader                      // more than MaxHeaderBytes or MaxFields of header
	ErrSyntax                      // a line in the header that is not a field
	ErrBoundary                    // a multipart without its boundary or without its end
	ErrEncoding                    // base64 or quoted-printable that cannot be decoded
	ErrCharset                     // text in an unknown charset

	ErrHidden       // more than MaxHidden bytes of hidden text, or MaxLinks of links
	ErrScan         // more than MaxScan bytes searched for boundaries
	ErrLongBoundary // a boundary longer than MaxBoundary
	ErrAddresses    // more than MaxAddresses addresses, or MaxReceived fields Received
	ErrWord         // an encoded word longer than MaxWord
)

// defects are the texts of the defects and, for exceeded limits, the term after "limit:".
var defects = [...]struct{ text, limit string }{
	{"parts nest too deep", "depth"},
	{"too many parts", "parts"},
	{"text too long", "text"},
	{"header too long", "header"},
	{"bad line in the header", ""},
	{"boundary missing", ""},
	{"broken transfer encoding", ""},
	{"unknown charset", ""},
	{"too much hidden text or links", "hidden"},
	{"parts too long", "scan"},
	{"boundary too long", "boundary"},
	{"too many addresses", "addresses"},
	{"encoded word too long", "word"},
}

// CountCut counts the term limit:size, for a document that was shortened before
// tokenizing.
func CountCut(into *tokenize.Bag) { into.Add([]byte("limit:size")) }

// countLimits counts a term for each limit exceeded.
func (s *scan) countLimits() {
	for i, d := range defects {
		if s.defects&(1<<i) != 0 && d.limit != "" {
			s.add("limit", []byte(d.limit))
		}
	}
}

// Error lists the defects on one line.
func (d Defect) Error() string {
	var texts []string
	for i := range defects {
		if d&(1<<i) != 0 {
			texts = append(texts, defects[i].text)
		}
	}
	return "mail: " + strings.Join(texts, ", ")
}

// Is reports whether target is a Defect whose elements are all in d.
func (d Defect) Is(target error) bool {
	t, ok := target.(Defect)
	return ok && t != 0 && d&t == t
}
