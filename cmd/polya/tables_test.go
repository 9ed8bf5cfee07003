package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

func TestInRowOrder(t *testing.T) {
	t.Parallel()
	var errs []error
	for _, text := range []string{"a.csv:10: x", "b: y", "a.csv:9: x", "c.csv:1: z", "and 2 more", "a.csv:2: x", "c.csv:x: z", "a.csv:9: w"} {
		errs = append(errs, errors.New(text))
	}
	var got []string
	for _, err := range inRowOrder(errs) {
		got = append(got, err.Error())
	}
	want := []string{"a.csv:2: x", "a.csv:9: x", "a.csv:9: w", "a.csv:10: x", "b: y", "c.csv:1: z", "and 2 more", "c.csv:x: z"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A repeated id is told of where the documents differ: in text, attributes or class.
func TestRepeats(t *testing.T) {
	t.Parallel()
	one := func(id, text string, size float64) *document {
		d := &document{path: "x", givenID: id, content: []byte(text), given: []corpus.Attribute{bare("size", size)}}
		d.identify()
		return d
	}
	for _, tt := range []struct {
		other *document
		class string
		want  string
	}{
		{one("1", "a", 1), "c", ""}, {one("2", "b", 2), "d", ""},
		{one("1", "b", 1), "c", "1 id names "}, {one("1", "a", 2), "c", "1 id names "}, {one("1", "a", 1), "d", "1 id names "},
		{one("", "b", 2), "d", ""},
	} {
		var r repeats
		r.add(one("1", "a", 1), "c")
		r.add(tt.other, tt.class)
		if got := r.note(); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", fmt.Sprint(tt.other.givenID, " ", string(tt.other.content), tt.class), got, tt.want)
		}
	}
}

// Of a category that is too long the first document is named, whatever else is wrong.
func TestLongCategories(t *testing.T) {
	t.Parallel()
	var r refusals
	for i := range 30 {
		r.add(fmt.Sprintf("a:%d", i), fmt.Errorf("%w: advice", &longCategory{"note", 300 + i}))
		r.add(fmt.Sprintf("b:%d", i), errors.New("other"))
	}
	errs := r.errors()
	if len(errs) != maxRefusals+2 || !strings.HasPrefix(errs[0].Error(), `a:0: attribute "note": a category of 300 bytes`) {
		t.Fatalf("%q", errs)
	}
	if got := errors.Join(errs[maxRefusals:]...).Error(); got != "and 29 more documents with a category \"note\" as long\n"+
		"and 21 more documents with attributes that cannot be counted" {
		t.Error(got)
	}
}
