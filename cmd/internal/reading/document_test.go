package reading

import (
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/tokenize"
)

// What a document is, by where it comes from.
func TestIdentity(t *testing.T) {
	t.Parallel()
	size := func(v any, text string) []corpus.Attribute { return []corpus.Attribute{cell("size", v, text)} }
	message := []byte("From: a@example.org\nMessage-ID: <1@example.org>\n\nwords\n")
	plain := corpus.Document{Format: corpus.Text, Content: []byte("words")}
	text := func(id, content string, values []corpus.Attribute, copies int) Document {
		return Document{Document: corpus.Document{Format: corpus.Text, ID: id, Content: []byte(content), Attributes: values, Copy: copies}}
	}
	mail := func(values, added []corpus.Attribute) Document {
		return Document{Document: corpus.Document{Format: corpus.Mail, Content: message, Attributes: values}, added: added}
	}
	tests := []struct {
		name string
		a, b Document
		same bool
	}{
		{"text is its content", Document{Document: plain}, text("", "words", nil, 0), true},
		{"and its attributes", Document{Document: plain}, text("", "words", size(1.0, ""), 0), false},
		{"by value", text("", "", size(1.0, ""), 0), text("", "", size(2.0, ""), 0), false},
		{"by type", text("", "", size("1", ""), 0), text("", "", size(1.0, ""), 0), false},
		{"by name", text("", "", size("1", ""), 0), text("", "", []corpus.Attribute{bare("sizes", "1")}, 0), false},
		{"of a table as written", text("", "", size(1.0, "1"), 0), text("", "", size("1", "1"), 0), true}, // in a column with words
		{"with --attr", Document{Document: plain}, Document{Document: plain, added: size(1.0, "1")}, false},
		{"an id is enough", text("x", "", size(1.0, ""), 0), text("x", "words", nil, 0), true},
		{"mail with --attr", mail(nil, nil), mail(nil, size(1.0, "1")), true},
		{"mail in a row", mail(nil, nil), mail(size(1.0, "1"), nil), false},
		{"equal rows", text("", "", size(1.0, "1"), 0), text("", "", size(1.0, "1"), 1), false},
		{"equal rows without attributes", text("", "", nil, 0), text("", "", nil, 1), false},
	}
	analyzer, err := tokenize.New("polya-7 attr=mail")
	if err != nil {
		t.Fatal(err)
	}
	for i := range tests {
		tt := &tests[i]
		for _, d := range []*Document{&tt.a, &tt.b} {
			d.Cut = true
			plain := *d
			plain.Count(analyzer, false)
			d.Count(analyzer, true)
			if !slices.Equal(d.Read, plain.Read) || d.Bag.Len() != plain.Bag.Len() || d.Bag.Tokens() != plain.Bag.Tokens() {
				t.Errorf("%s: %+v, and without an id %+v", tt.name, d, plain)
			}
		}
		if (tt.a.ID == tt.b.ID) != tt.same {
			t.Errorf("%s: %v and %v", tt.name, tt.a.ID, tt.b.ID)
		}
	}
	if d := tests[0].a; d.ID != classify.ContentID([]byte("words")) {
		t.Error("documents without attributes are not known by the ids that they had")
	}
}
