package corpus

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// Attribute is a named value of a document, beside its text.
type Attribute struct {
	Name string

	// Value is a string, a bool or a float64.
	Value any

	// Text is the table cell that Value was read from, without white space at its ends. It
	// is empty if the source itself distinguishes numbers from text, as JSON does.
	Text string
}

// attributes reads an object of numbers, strings, true and false, in order of name. Null and
// the empty string mean absent.
func (r *record) attributes(at int) ([]Attribute, error) {
	value, err := r.value(at)
	if value == nil {
		return nil, err
	}
	raw, _ := value.(json.RawMessage)
	if len(raw) == 0 || raw[0] != '{' {
		return nil, badValue("attributes are an object of names and values")
	}
	var object record
	if err := object.parse(raw); err != nil {
		return nil, err
	}
	list := []Attribute{}
	seen := map[string]bool{}
	for i, name := range object.keys {
		switch {
		case seen[name]:
			return nil, badValue("attribute %.40q comes twice", name)
		case name == "":
			return nil, badValue("an attribute without a name")
		case len(seen) == maxAttributes:
			return nil, badValue("more than %d attributes", maxAttributes)
		}
		seen[name] = true
		a := Attribute{Name: name, Value: object.values[i]}
		switch v := a.Value.(type) {
		case json.Number:
			if a.Value, err = strconv.ParseFloat(string(v), 64); err != nil {
				return nil, badValue("attribute %.40q: %.40s is beyond the numbers that can be counted", name, v)
			}
		case json.RawMessage:
			return nil, badValue("attribute %.40q is an array or an object: want a number, a string, true, false or null", name)
		}
		if a.Value != nil && a.Value != "" {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}
