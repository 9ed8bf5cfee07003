package mail

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

const message = "Received: from a.example by b.example; Mon, 5 Jan 2026 10:00:00 +0000\n" +
	"From: Alice <alice@news.example>\nTo: bob@example.org\nList-Id: <chess.news.example>\n" +
	"Date: Mon, 5 Jan 2026 09:30:00 +0000\nMessage-ID: <1@news.example>\nSubject: The opening\n\nWhite moves first.\n"

func opened(t *testing.T, analyzer string) *classify.Classifier {
	t.Helper()
	c, err := classify.Open(filepath.Join(t.TempDir(), "mail.polya"), classify.Options{Analyzer: analyzer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A document has the terms, the attributes and the identity of its message.
func TestDocument(t *testing.T) {
	t.Parallel()
	name, _, _ := strings.Cut(tokenize.DefaultSpec, " ")
	c := opened(t, name+" attr=mail")
	doc := Document(c, []byte(message))
	if doc.ID != mail.ID([]byte(message)) {
		t.Errorf("id %x", doc.ID)
	}
	terms := map[string]int{}
	for i := range doc.Bag.Len() {
		term, n := doc.Bag.At(i)
		terms[string(term)] = n
	}
	for _, term := range []string{"subject:opening", "list:chess.news.example", "white", "moves"} {
		if terms[term] == 0 {
			t.Errorf("no term %q among %v", term, terms)
		}
	}
	category := func(name string) string {
		for _, a := range doc.Attributes {
			if a.Name == name && a.Kind == count.Category {
				return a.Category
			}
		}
		return ""
	}
	for name, want := range map[string]string{"sender": "alice@news.example", "domain": "news.example", "list": "chess.news.example", "hour": "09", "weekday": "mon"} {
		if got := category(name); got != want {
			t.Errorf("attribute %s is %q, want %q", name, got, want)
		}
	}
	at := slices.IndexFunc(doc.Attributes, func(a count.Attribute) bool { return a.Name == "size" })
	if at < 0 || doc.Attributes[at].Kind != count.Real || doc.Attributes[at].Number <= 0 {
		t.Errorf("no size among %+v", doc.Attributes)
	}
	for i := range doc.Attributes {
		if err := doc.Attributes[i].Check(); err != nil {
			t.Error(err)
		}
	}
}

// A message is the same document wherever it was delivered: learned once, moved and
// forgotten by the copy that another server has.
func TestDocumentOfCopies(t *testing.T) {
	t.Parallel()
	c, ctx := opened(t, ""), context.Background()
	again := "X-Delivered: elsewhere\r\n" + strings.ReplaceAll(message, "\n", "\r\n")
	if a, err := c.Train(ctx, "ham", Document(c, []byte(message)), Document(c, []byte(again))); err != nil || a.Learned != 1 || a.Already != 1 {
		t.Errorf("trained %+v, %v", a, err)
	}
	if a, err := c.Relabel(ctx, "work", Document(c, []byte(again))); err != nil || a.Moved != 1 {
		t.Errorf("moved %+v, %v", a, err)
	}
	if a, err := c.Forget(ctx, Document(c, []byte(again))); err != nil || a.Forgotten != 1 {
		t.Errorf("forgot %+v, %v", a, err)
	}
	if _, err := c.Forget(ctx, Document(c, []byte(message))); !errors.Is(err, count.ErrNotLearned) {
		t.Errorf("forgotten twice: %v", err)
	}
}

// Broken messages are documents too.
func TestDocumentOfNoise(t *testing.T) {
	t.Parallel()
	c := opened(t, "")
	for _, raw := range []string{"", "\x00\xff", "From: x", "Content-Type: multipart/mixed; boundary=b\n\n--b\n--b\n--b"} {
		doc := Document(c, []byte(raw))
		if doc.Bag == nil || doc.ID == (count.DocID{}) {
			t.Errorf("%q: %+v", raw, doc)
		}
		if _, err := c.Train(context.Background(), "noise", doc); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// What is left of a message tells that it is not all.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	c := opened(t, "")
	whole, rest := Document(c, []byte(message)), Excerpt(c, []byte(message))
	whole.Bag.Add([]byte("limit:size"))
	whole.Bag.Sort()
	rest.Bag.Sort()
	if whole.Bag.Len() != rest.Bag.Len() || whole.Bag.Tokens() != rest.Bag.Tokens() {
		t.Fatalf("%d terms, not %d", rest.Bag.Len(), whole.Bag.Len())
	}
	for i := range rest.Bag.Len() {
		got, _ := rest.Bag.At(i)
		if want, _ := whole.Bag.At(i); string(got) != string(want) {
			t.Errorf("term %q, not %q", got, want)
		}
	}
}
