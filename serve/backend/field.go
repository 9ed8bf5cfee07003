package backend

import (
	"cmp"
	"fmt"
	"slices"
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

var (
	escapeTag   = strings.NewReplacer("%2C", "%252C", "%25", "%2525", ",", "%2C")
	unescapeTag = strings.NewReplacer("%2C", ",", "%25", "%")
)

// Tags returns the tags that the name of a class states in a database of tags: those with commas
// between, where %2C is a comma within a tag and %25 a percent sign.
func Tags(class string) (tags []string) {
	for tag := range strings.SplitSeq(class, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, unescapeTag.Replace(tag))
		}
	}
	return tags
}

// ClassOf returns the name of a class that states these tags, sorted; a comma if there are none.
func ClassOf(tags []string) string {
	var stated []string
	for _, tag := range tags {
		stated = append(stated, escapeTag.Replace(tag))
	}
	if stated == nil {
		return ","
	}
	slices.Sort(stated)
	return strings.Join(slices.Compact(stated), ", ")
}
