package mail

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/polya-classifier/polya/tokenize"
)

func seeds(f *testing.F) {
	for _, raw := range []string{plainLetter, alternative, escapes, bounce, identified, "", "From: \"(<a@b>\nDate: 1 Jan 70 0:0 GMT\nTo: x:(<b@c>);,d@e\nList-Id: <\n"} {
		f.Add([]byte(raw))
	}
	for _, c := range changed {
		f.Add([]byte(c.raw))
	}
	for _, l := range languages {
		encoded, _ := l.encoding.NewEncoder().String(l.text)
		f.Add([]byte("Content-Type: text/html; charset=" + l.label + "\nSubject: =?" + l.label + "?q?" + hexWord(encoded) + "?=\n\n" + encoded))
	}
}

// FuzzTokenize asks that any bytes are read without a panic, that the terms are
// bounded by the limits and fit for a database, that attributes are, and that both
// depend on the message alone.
func FuzzTokenize(f *testing.F) {
	seeds(f)
	a, err := tokenize.New("polya-7 stem=off attr=mail")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		message := bytes.Clone(raw)
		var bag, again tokenize.Bag
		attributes := Read(a, &bag, message)
		if !bytes.Equal(message, raw) {
			t.Fatal("the message was changed")
		}
		if bag.Len() > 64+40*len(raw) {
			t.Fatalf("%d terms of %d bytes", bag.Len(), len(raw))
		}
		for i, x := range attributes {
			switch v := x.Value.(type) {
			case string:
				if !isCategory([]byte(v)) {
					t.Fatalf("%s is %q", x.Name, v)
				}
			case float64:
				if !(v >= 0 && v < 64) {
					t.Fatalf("%s is %v", x.Name, v)
				}
			}
			if i > 0 && !slices.Contains(a.Attributes()[slices.Index(a.Attributes(), attributes[i-1].Name)+1:], x.Name) {
				t.Fatalf("%s comes after %s", x.Name, attributes[i-1].Name)
			}
		}
		whole := ReadMessage(a, &again, message)
		if !slices.Equal(whole.Attributes, attributes) {
			t.Fatalf("attributes %v, then %v", attributes, whole.Attributes)
		}
		if id, own := Identity(message); whole.ID != id || whole.MessageID != own {
			t.Fatalf("id %x of %q, but read %x of %q", id, own, whole.ID, whole.MessageID)
		}
		again.Reset()
		Read(a, &again, message)
		if again.Len() != bag.Len() || again.Tokens() != bag.Tokens() {
			t.Fatalf("%d terms, then %d", bag.Len(), again.Len())
		}
		for i := range bag.Len() {
			term, n := bag.At(i)
			other, m := again.At(i)
			if !bytes.Equal(term, other) || n != m {
				t.Fatalf("%q %d, then %q %d", term, n, other, m)
			}
			if !utf8.Valid(term) || bytes.ContainsAny(term, "\x00\n\r\t ") {
				t.Fatalf("term %q", term)
			}
		}
	})
}

// FuzzID asks that what happens to a message in transit leaves its ID.
func FuzzID(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		want := ID(raw)
		if end, _ := lineAt(raw, 0); lineKind(raw[:end]) != lineField || bytes.IndexByte(raw, '\n') < 0 {
			return
		}
		if hasBody(raw) && ID(append(bytes.Clone(raw), "\r\n\n"...)) != want {
			t.Fatal("changed by blank lines at the end")
		}
		for _, before := range []string{"Received: from a.example\n\tby b.example\n", "From a@b.example Mon Sep  2 16:22:06 2002\n", ">From a\r\n", "\n"} {
			if got := ID(append([]byte(before), raw...)); got != want {
				t.Fatalf("changed by %q before it", before)
			}
		}
		if bytes.IndexByte(raw, '\r') < 0 {
			if got := ID(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))); got != want {
				t.Fatal("changed by CRLF")
			}
		}
	})
}

// hasBody reports whether a message has a header that is over.
func hasBody(raw []byte) bool {
	s := scans.Get().(*scan)
	defer s.free()
	_, body := s.split(strip(raw), true)
	return len(bytes.TrimSpace(body)) > 0
}
