package reading

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// A repeated id is told of where the documents differ: in text, attributes or class.
func TestRepeats(t *testing.T) {
	t.Parallel()
	one := func(id, text string, size float64) *Document {
		d := &Document{Path: "x", givenID: id, Content: []byte(text), Given: []corpus.Attribute{bare("size", size)}}
		d.Identify()
		return d
	}
	for _, tt := range []struct {
		other *Document
		class string
		want  string
	}{
		{one("1", "a", 1), "c", ""}, {one("2", "b", 2), "d", ""},
		{one("1", "b", 1), "c", "1 id names "}, {one("1", "a", 2), "c", "1 id names "}, {one("1", "a", 1), "d", "1 id names "},
		{one("", "b", 2), "d", ""},
	} {
		var r Repeats
		r.Add(one("1", "a", 1), "c")
		r.Add(tt.other, tt.class)
		if got := r.Note(); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", fmt.Sprint(tt.other.givenID, " ", string(tt.other.Content), tt.class), got, tt.want)
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
