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
	plain := Document{Content: []byte("words")}
	tests := []struct {
		name string
		a, b Document
		same bool
	}{
		{"text is its content", plain, Document{Content: []byte("words")}, true},
		{"and its attributes", plain, Document{Content: []byte("words"), Given: size(1.0, "")}, false},
		{"by value", Document{Given: size(1.0, "")}, Document{Given: size(2.0, "")}, false},
		{"by type", Document{Given: size("1", "")}, Document{Given: size(1.0, "")}, false},
		{"by name", Document{Given: size("1", "")}, Document{Given: []corpus.Attribute{bare("sizes", "1")}}, false},
		{"of a table as written", Document{Given: size(1.0, "1")}, Document{Given: size("1", "1")}, true}, // in a column with words
		{"with --attr", plain, Document{Content: []byte("words"), added: size(1.0, "1")}, false},
		{"an id is enough", Document{givenID: "x", Given: size(1.0, "")}, Document{givenID: "x", Content: []byte("words")}, true},
		{"mail with --attr", Document{Format: corpus.Mail, Content: message}, Document{Format: corpus.Mail, Content: message, added: size(1.0, "1")}, true},
		{"mail in a row", Document{Format: corpus.Mail, Content: message}, Document{Format: corpus.Mail, Content: message, Given: size(1.0, "1")}, false},
		{"equal rows", Document{Given: size(1.0, "1")}, Document{Given: size(1.0, "1"), copy: 1}, false},
		{"equal rows without attributes", Document{copy: 0}, Document{copy: 1}, false},
	}
	analyzer, err := tokenize.New("polya-6 attr=mail")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		for _, d := range []Document{tt.a, tt.b} {
			d.cut = true
			var one, both Document = d, d
			both.IdentifyAndCount(analyzer)
			one.Identify()
			one.Count(analyzer)
			if one.ID != both.ID || one.MessageID != both.MessageID || !slices.Equal(one.Read, both.Read) || one.Bag.Len() != both.Bag.Len() || one.Bag.Tokens() != both.Bag.Tokens() {
				t.Errorf("%s: %+v, and one after the other %+v", tt.name, both, one)
			}
		}
		tt.a.Identify()
		tt.b.Identify()
		if (tt.a.ID == tt.b.ID) != tt.same {
			t.Errorf("%s: %v and %v", tt.name, tt.a.ID, tt.b.ID)
		}
	}
	plain.Identify()
	if plain.ID != classify.ContentID([]byte("words")) {
		t.Error("documents without attributes are not known by the ids that they had")
	}
}
