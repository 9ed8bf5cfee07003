package mail

import "strings"

// Defect is what Tokenize could not read in a message, a set of one or more of
// the Err constants. errors.Is(err, ErrDepth) reports whether one is in the set.
type Defect uint16

// The defects.
const (
	ErrDepth    Defect = 1 << iota // parts nest deeper than MaxDepth
	ErrParts                       // more than MaxParts parts
	ErrText                        // more than MaxText bytes of text, or MaxMarkup with markup
	ErrHeader                      // more than MaxHeaderBytes or MaxFields of header
	ErrSyntax                      // a line in the header that is no field
	ErrBoundary                    // a multipart without its boundary or without its end
	ErrEncoding                    // base64 or quoted-printable that cannot be decoded
	ErrCharset                     // text in a charset that is not known

	ErrHidden       // more than MaxHidden bytes of hidden text, or MaxLinks of links
	ErrScan         // more than MaxScan bytes searched for boundaries
	ErrLongBoundary // a boundary longer than MaxBoundary
	ErrAddresses    // more than MaxAddresses addresses, or MaxReceived fields Received
	ErrWord         // an encoded word longer than MaxWord
)

// limits are the defects that are limits met, with the term of each behind "limit:".
var limits = [...]struct {
	defect Defect
	term   string
}{
	{ErrDepth, "depth"}, {ErrParts, "parts"}, {ErrText, "text"}, {ErrHeader, "header"}, {ErrHidden, "hidden"},
	{ErrScan, "scan"}, {ErrLongBoundary, "boundary"}, {ErrAddresses, "addresses"}, {ErrWord, "word"},
}

func (s *scan) countLimits() {
	for _, l := range limits {
		if s.defects&l.defect != 0 {
			s.addString("limit", l.term)
		}
	}
}

var defects = [...]string{
	"parts nest too deep",
	"too many parts",
	"text too long",
	"header too long",
	"bad line in the header",
	"boundary missing",
	"broken transfer encoding",
	"unknown charset",
	"too much hidden text or links",
	"parts too long",
	"boundary too long",
	"too many addresses",
	"encoded word too long",
}

// Error lists the defects on one line.
func (d Defect) Error() string {
	var b strings.Builder
	for i, text := range defects {
		if d&(1<<i) == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("mail: ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	return b.String()
}

// Is reports whether target is a Defect of which d has all.
func (d Defect) Is(target error) bool {
	t, ok := target.(Defect)
	return ok && t != 0 && d&t == t
}
