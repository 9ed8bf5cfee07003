package mail

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// A page within a message has no terms of a page's own fields.
func TestPagesInMailHaveNoFields(t *testing.T) {
	t.Parallel()
	a, err := tokenize.New("")
	if err != nil {
		t.Fatal(err)
	}
	messages := [][]byte{
		[]byte("Title: plum\nContent-Type: text/html\n\n<title>Plums</title><h1>ripe</h1><a href=http://example.org>sour</a>"),
		[]byte("Content-Type: text/html\n\nHTTP/1.1 200 OK\nServer: nginx\n\n<h1>ripe</h1>"),
	}
	for _, pattern := range []string{"../../testdata/bad/*.eml", "../../testdata/mail/*/*/*.eml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, raw)
		}
	}
	for _, raw := range messages {
		var bag tokenize.Bag
		Read(a, &bag, raw)
		for i := range bag.Len() {
			term, _ := bag.At(i)
			switch field, _, ok := strings.Cut(string(term), ":"); {
			case ok && slices.Contains([]string{"Title", "Heading", "Anchor"}, field):
				t.Errorf("%.200q: %s", raw, term)
			}
		}
	}
}
