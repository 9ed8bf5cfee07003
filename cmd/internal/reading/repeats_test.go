package reading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store/count"
)

// A repeated id is told of where the documents differ: in text, attributes or class.
func TestRepeats(t *testing.T) {
	t.Parallel()
	one := func(id, text string, size float64) *Document {
		d := &Document{Document: corpus.Document{Path: "x", ID: id, Content: []byte(text), Attributes: []corpus.Attribute{bare("size", size)}}}
		d.identify(count.DocID{})
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
			t.Errorf("%s: %q, want %q", fmt.Sprint(tt.other.Document.ID, " ", string(tt.other.Content), tt.class), got, tt.want)
		}
	}
}

// Of many lines the first are kept, and the others counted.
func TestFew(t *testing.T) {
	t.Parallel()
	var f few
	for i := range maxFew + 2 {
		f.add(fmt.Sprint(i))
	}
	if got := f.all(); len(got) != maxFew+1 || got[0] != "0" || got[maxFew] != "and 2 more like these" {
		t.Errorf("%q", got)
	}
}
