package tokenize

import (
	"fmt"
	"slices"
	"strings"
)

// Attribute is a named value of a document, beside its terms.
type Attribute struct {
	Name string

	// Value is a string for a category, a float64 for a number.
	Value any
}

// The attributes that a spec can ask for; package mail defines them. They are in the
// order of a spec's canonical form.
var attributeNames = []string{
	"sender", "domain", "list", "to", "size", "hour", "weekday", "recipients", "attachments",
}

// parseAttributes reads "off", "mail", or names separated by commas, in any order.
func parseAttributes(value string) ([]string, error) {
	switch value {
	case "off":
		return nil, nil
	case "mail":
		return attributeNames, nil
	}
	var list []string
	for name := range strings.SplitSeq(value, ",") {
		switch {
		case !slices.Contains(attributeNames, name):
			return nil, fmt.Errorf("tokenize: attr=%.40q in the analyzer spec must be off, mail, or some of %s with commas between", value, strings.Join(attributeNames, ", "))
		case slices.Contains(list, name):
			return nil, fmt.Errorf("tokenize: attr=%.40q in the analyzer spec names %s twice", value, name)
		}
		list = append(list, name)
	}
	slices.SortFunc(list, func(a, b string) int { return slices.Index(attributeNames, a) - slices.Index(attributeNames, b) })
	return list, nil
}

// attributesText is the inverse of parseAttributes; list is in canonical order.
func attributesText(list []string) string {
	switch len(list) {
	case 0:
		return "off"
	case len(attributeNames):
		return "mail"
	}
	return strings.Join(list, ",")
}
