package corpus_test

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// A document a line, with the labels of fastText, and the elements of an array.
func TestLines(t *testing.T) {
	dir := tree(t, map[string]string{
		"plain.txt":   "\ufeffone\n\n  two \r\n<p>three",
		"labelled":    "__label__spam buy now\n__label__travel __label__family a letter\nno label\n",
		"array.json":  "\ufeff [{\"text\":\"x\",\"class\":\"c\"},\n\n {\"attributes\":{\"a\":1}}]\n",
		"other.json":  "[{\"name\":\"x\"}]",
		"broken.json": "[{\"text\":\"x\"},{},{\"text\":\"y\"},{\"text",
	})
	got, err := walk(t, dir+"/plain.txt", corpus.Options{Format: corpus.Lines})
	equal(t, got, []string{":1 text", ":3 text", ":4 html"})
	if err != nil {
		t.Error(err)
	}
	got, _ = walk(t, dir+"/labelled", corpus.Options{Several: true})
	equal(t, got, []string{":1 text spam", ":2 text travel,family", ":3 text"})
	if got, _ = walk(t, dir+"/labelled", corpus.Options{}); len(got) != 1 {
		t.Errorf("%q without being asked", got)
	}
	got, _ = walk(t, dir+"/array.json", corpus.Options{})
	equal(t, got, []string{":1 text c", ":2 text"})
	got, _ = walk(t, dir+"/other.json", corpus.Options{})
	equal(t, got, []string{" text"})
	got, err = walk(t, dir+"/broken.json", corpus.Options{})
	equal(t, got, []string{":1 text", ":3 text"})
	if text := err.Error(); !strings.Contains(text, `broken.json:2: no column "text" for the text: there are none`) || !strings.Contains(text, "broken.json:4: not an element") {
		t.Error(text)
	}
	if corpus.Single(dir+"/array.json", corpus.Options{}) || corpus.Single(dir+"/plain.txt", corpus.Options{Format: corpus.Lines}) {
		t.Error("taken for one document")
	}
}

// A text of many lines is remarked on, prose is not, nor is what lies in a folder.
func TestLikeLines(t *testing.T) {
	lines := strings.Repeat("a message\n", 30)
	dir := tree(t, map[string]string{"lines.txt": lines, "prose.txt": lines + "\n" + lines, "few.txt": "one\ntwo\n"})
	for path, want := range map[string]int{"/lines.txt": 1, "/prose.txt": 0, "/few.txt": 0, "": 0} {
		n := 0
		err := corpus.Walk(t.Context(), dir+path, corpus.Options{}, func(d *corpus.Document) error {
			if d.Like == corpus.Lines {
				n++
			}
			return nil
		})
		if n != want || err != nil {
			t.Errorf("%q: %d remarks, %v", path, n, err)
		}
	}
}

// JSON lines have keys by other names, as tables have columns.
func TestJSONKeys(t *testing.T) {
	in := `{"Review":"x","label":true,"key":7,"text":"other"}` + "\n" + `{"label":1,"review":"y","key":"z"}` + "\n" + `{"text":"w","label":"c"}` + "\n"
	got, err := stream(strings.NewReader(in), corpus.Options{Format: corpus.JSONL, ClassColumn: "label", TextColumns: []string{"review"}, IDColumn: "key"})
	var list []string
	for _, d := range got {
		list = append(list, d.Class+" "+d.ID+" "+string(d.Content))
	}
	equal(t, list, []string{"true 7 x", "1 z y"})
	if want := `-:3: no column "review" for the text: there are "text", "label"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
