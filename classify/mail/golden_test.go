package mail

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

var update = flag.Bool("update", false, "write the kept database and its dump anew")

// TestGolden opens the databases that analyzers have made in format 2 of some sample mail, and from
// polya-7 on of a short text. Each gives the dump beside it, and so does a new database that learns
// the same: the analyzer gives the same terms. This writes all anew:
//
//	go test ./classify/mail -run TestGolden -update
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"polya-6", "polya-7"} {
		t.Run(version, func(t *testing.T) { golden(t, version) })
	}
}

func golden(t *testing.T, version string) {
	kept, text := "testdata/"+version+".polya", "testdata/"+version+".dump"
	path := filepath.Join(t.TempDir(), "new.polya")
	learned := learnGolden(t, path, version)
	if *update {
		if err := os.WriteFile(text, learned, 0o644); err != nil {
			t.Fatal(err)
		}
		copyFile(t, kept, path)
	}
	want, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(learned, want) {
		t.Errorf("the same mail gives other terms than %s has", text)
	}
	path = filepath.Join(t.TempDir(), "kept.polya")
	copyFile(t, path, kept)
	db, err := store.Open(path, store.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Check(t.Context(), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db); !bytes.Equal(got, want) {
		t.Errorf("the dump of %s is not %s", kept, text)
	}
}

// learnGolden learns some messages, and returns the dump.
func learnGolden(t *testing.T, path, version string) []byte {
	t.Helper()
	c, err := classify.Open(path, classify.Options{Analyzer: version + " attr=mail", Fitting: classify.FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i, name := range []string{"plain", "html", "forged"} {
		raw, err := os.ReadFile("testdata/" + name + ".eml")
		if err != nil {
			t.Fatal(err)
		}
		doc := Document(c, raw)
		doc.Time = time.Unix(1e9, 0)
		if _, err := c.Train(t.Context(), []string{"ham", "spam"}[i%2], doc); err != nil {
			t.Fatal(err)
		}
	}
	if version != "polya-6" {
		doc := c.Document([]byte("Zürich 8001, 東京"))
		doc.Time = time.Unix(1e9, 0)
		if _, err := c.Train(t.Context(), "ham", doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Store().Compact(t.Context()); err != nil { // it is kept small
		t.Fatal(err)
	}
	return dump(t, c.Store())
}

func dump(t *testing.T, db *store.DB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := db.Dump(t.Context(), &b, true); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
