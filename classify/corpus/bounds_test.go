package corpus_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

// names writes so many attributes of a JSON line.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// columns writes a table of so many columns and one row.
func columns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d,", i)
	}
	return strings.TrimSuffix(b.String(), ",") + "\n" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "\n"
}

// What a document may have it may have in full.
func TestMostAttributes(t *testing.T) {
	for format, in := range map[corpus.Format]string{
		corpus.JSONL: `{"attributes":{` + names(4096) + `}}`,
		corpus.CSV:   columns(4099),
	} {
		got, err := stream(strings.NewReader(in), corpus.Options{Format: format})
		if err != nil || len(got) != 1 || len(got[0].Attributes) < 4096 {
			t.Errorf("%v: %d documents, %v", format, len(got), err)
		}
	}
}

// Bytes that are allocated for a file do not grow with what is beyond the bounds. Each
// took some 60 to 200 times the size of the file.
func TestMemoryIsBounded(t *testing.T) {
	const n = 1 << 20
	for name, tt := range map[string]struct {
		file, in string
		most     uint64 // bytes
	}{
		"a wide header":                {"a.csv", strings.Repeat("a,", n) + "\n", 4 << 20},
		"a wide row":                   {"a.csv", "a,b\n1,2\n" + strings.Repeat(",", n) + "\n1,2\n", 4 << 20},
		"a wide row of quotes":         {"a.csv", "a,b\n1,2\n" + strings.Repeat(`"",`, n) + "\n1,2\n", 4 << 20},
		"a row of many names":          {"a.jsonl", `{"attributes":{` + names(n/8) + "}}\n" + `{"text":"x"}` + "\n", 16 << 20},
		"a row of names without value": {"a.jsonl", `{"attributes":{` + strings.ReplaceAll(names(n/8), ":1", ":null") + "}}\n", 20 << 20},
		"a line of many keys":          {"a.jsonl", "{" + names(n/8) + "}\n", 12 << 20},
	} {
		dir := tree(t, map[string]string{tt.file: tt.in})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := corpus.Walk(context.Background(), filepath.Join(dir, tt.file), corpus.Options{}, func(*corpus.Document) error { return nil })
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than 409") {
			t.Errorf("%s: %.200v", name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > tt.most {
			t.Errorf("%s: %d bytes of memory for %d, want at most %d", name, got, len(tt.in), tt.most)
		}
	}
}

// What is kept of a column to tell about it is short, however long its cells are.
func TestOtherCellsAreCut(t *testing.T) {
	var told []corpus.Column
	in := "a,b\n1,2\n" + strings.Repeat("x", 1<<20) + ",3\n"
	_, err := stream(strings.NewReader(in), corpus.Options{Format: corpus.CSV, Decided: func(m corpus.Column) { told = append(told, m) }})
	if err != nil || len(told) != 1 || told[0].Other != strings.Repeat("x", 200) {
		t.Errorf("told %.300v, %v", told, err)
	}
}
