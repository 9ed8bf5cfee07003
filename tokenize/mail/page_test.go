package mail

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// A page within a message gives the terms that it gave before pages had fields of their own.
func TestPagesInMailHaveNoFields(t *testing.T) {
	t.Parallel()
	counts := func(spec string, raw []byte) map[string]int {
		a, err := tokenize.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		var bag tokenize.Bag
		_ = Tokenize(a, &bag, raw)
		got := make(map[string]int)
		for i := range bag.Len() {
			term, n := bag.At(i)
			got[string(term)] = n
		}
		return got
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
		if got, want := counts("polya-5 digits=off", raw), counts("polya-4", raw); !reflect.DeepEqual(got, want) {
			t.Errorf("%.200q:\n got %v\nwant %v", raw, got, want)
		}
	}
}
