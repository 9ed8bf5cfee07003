package mail

import "strings"

// Defect is what Tokenize could not read in a message, a set of one or more of
// the Err constants. errors.Is(err, ErrDepth) tells whether one is in the set.
type Defect uint8

// The defects.
const (
	ErrDepth    Defect = 1 << iota // parts nest deeper than MaxDepth
	ErrParts                       // more than MaxParts parts, or MaxScan bytes of them
	ErrText                        // more than MaxText bytes of text
	ErrHeader                      // more than MaxHeaderBytes or MaxFields of header
	ErrSyntax                      // a line in the header that is no field
	ErrBoundary                    // a multipart without its boundary or without its end
	ErrEncoding                    // base64 or quoted-printable that cannot be decoded
	ErrCharset                     // text in a charset that is not known
)

var defects = [...]string{
	"parts nest too deep",
	"too many parts",
	"text too long",
	"header too long",
	"bad line in the header",
	"boundary missing",
	"broken transfer encoding",
	"unknown charset",
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
