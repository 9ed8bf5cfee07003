package backend

import (
	"cmp"
	"fmt"
	"strings"
)

// ResultField is the name of the field that carries an answer in the header of a message.
const ResultField = "X-Polya-Class"

// Field returns the value of ResultField for a: "spam; probability=0.9987", or "unsure; class=spam;
// probability=0.6120" if the classifier abstains, followed by "; truncated" if not all of the message was
// read. Tags stand in place of the class, "travel, family; probability=0.9871", with the probability of
// Class. A semicolon or a control character in a name is written as an underscore.
func (a Answer) Field() string {
	class := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == ';' {
			return '_'
		}
		return r
	}, cmp.Or(strings.Join(a.Tags, ", "), a.Class))
	if a.Unsure {
		class = "unsure; class=" + class
	}
	field := fmt.Sprintf("%s; probability=%.4f", class, a.Probability)
	if a.Truncated {
		field += "; truncated"
	}
	return field
}
