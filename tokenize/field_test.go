package tokenize

import "testing"

// ofField reports whether a term belongs to a field of its document.
func ofField(term []byte) bool { f := FieldOf(term); return f != TextField && f <= OtherField }

// What Text and HTML find without a field is of the text, what they find in one is not.
func TestOfField(t *testing.T) {
	a, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	var text, field Bag
	a.Text(&text, "", []byte("Dear friend, see http://example.org/offer now 你好"))
	a.HTML(&text, []byte(`<p>seen</p><p style="display:none">hidden</p><img src="http://example.com/x">`))
	a.Text(&field, "subject", []byte("Cheap watches"))
	for _, bag := range []*Bag{&text, &field} {
		if bag.Len() < 2 {
			t.Fatal("too few terms")
		}
		for i := range bag.Len() {
			if term, _ := bag.At(i); ofField(term) != (bag == &field) {
				t.Errorf("%q: of a field: %v", term, ofField(term))
			}
		}
	}
}

func TestFieldOf(t *testing.T) {
	for term, want := range map[string]Field{
		"offer": TextField, "": TextField, ":": TextField, ":offer": TextField, "\x01": CharacterField, "\x01of:e": CharacterField, "url:example.org": TextField, "limit:text": TextField,
		"subject:offer": SubjectField, "subject:a:b": SubjectField, "Title:offer": SubjectField, "Heading:offer": SubjectField,
		"Anchor:offer": OtherField, "title:offer": OtherField, "status:404": OtherField, "http-server:nginx": OtherField, "from:example.org": PeopleField, "list:example.org": PeopleField,
		"mailer:mutt": OtherField, "limit:parts": TextField, "x-anything:1": OtherField, "subjects:offer": OtherField,
	} {
		if got := FieldOf([]byte(term)); got != want {
			t.Errorf("%q is of field %d, want %d", term, got, want)
		}
	}
}
