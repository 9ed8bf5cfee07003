package corpus

import (
	"bytes"
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
// the empty string mean absent. It stops when there are too many names, since a list of
// names takes some sixty times the memory of the line.
func (r *record) attributes(at int) ([]Attribute, error) {
	value, err := r.value(at)
	if value == nil {
		return nil, err
	}
	raw, _ := value.(json.RawMessage)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, badValue("attributes are an object of names and values")
	}
	list := []Attribute{}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // the decoder has checked this
		switch {
		case seen[name]:
			return nil, badValue("attribute %.40q comes twice", name)
		case name == "":
			return nil, badValue("an attribute without a name")
		case len(seen) == maxAttributes:
			return nil, badValue("more than %d attributes", maxAttributes)
		}
		seen[name] = true
		value, err := jsonValue(d, name)
		if err != nil {
			return nil, err
		}
		if value != nil {
			list = append(list, Attribute{Name: name, Value: value})
		}
	}
	slices.SortFunc(list, byName)
	return list, nil
}

func byName(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) }

// jsonValue reads the value of an attribute, nil if it is absent.
func jsonValue(d *json.Decoder, name string) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Number:
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil, badValue("attribute %.40q: %.40s is beyond the numbers that can be counted", name, v)
		}
		return x, nil
	case string:
		if v == "" {
			return nil, nil
		}
		return v, nil
	case bool:
		return v, nil
	case nil:
		return nil, nil
	}
	return nil, badValue("attribute %.40q is an array or an object: want a number, a string, true, false or null", name)
}
