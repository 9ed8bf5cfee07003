package classify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Opening reads the settings, and with them the tail of the log.
func TestOpenNamesDamagedFileOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	c, err := Open(path, Options{Fitting: FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	doc := c.Document([]byte("alpha beta"))
	doc.Source = "a source in the log alone"
	trainDocuments(t, c, "a", doc)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(doc.Source), bytes.ToUpper([]byte(doc.Source))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil || strings.Count(err.Error(), path) != 1 {
		t.Errorf("a damaged record: %v", err)
	}
}
