package api

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
)

// Where documents have tags, replies list these, and not the name under which a set is kept.
func TestTags(t *testing.T) {
	dir := t.TempDir()
	to, err := classify.Open(filepath.Join(dir, "mail.polya"), classify.Options{Holds: classify.Tags, Fitting: classify.FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range [][]string{{"travel"}, {"family", "a,b"}, nil} {
		set, err := count.TagSet(list...)
		if err == nil {
			_, err = to.Train(t.Context(), set, to.Document(fmt.Appendf(nil, "the word number%d", i)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	to.Close()
	server := startIn(t, dir, Options{})
	do := func(method, path string) string {
		t.Helper()
		code, reply := server.do("unix", method, path, "")
		if code != 200 {
			t.Fatalf("%s: %d %s", path, code, reply)
		}
		return reply
	}
	said := do("GET", "/v1/statistics")
	for _, want := range []string{`{"tags":["travel"],"documents":1`, `{"tags":["a,b","family"],"documents":1`, `{"tags":[],"documents":1`} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in %s", want, said)
		}
	}
	if said := do("GET", "/v1/ledger"); !strings.Contains(said, `"tags":["a,b","family"]`) || strings.Contains(said, "class") {
		t.Error(said)
	}
	if _, err := server.engine.Classify(t.Context(), backend.Request{Message: []byte(letter("casino", 1))}, false); err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`[0-9a-f]{32}`).FindString(do("GET", "/v1/decisions"))
	do("POST", "/v1/teach?class=travel,family&id="+id)
	if said := do("POST", "/v1/teach?class=travel&id="+id); said != `{"outcome":"moved","fromTags":["family","travel"]}`+"\n" {
		t.Error(said)
	}
}
