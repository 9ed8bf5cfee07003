package classify

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/store"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	for _, m := range Models() {
		c, err := Open(filepath.Join(t.TempDir(), "a.polya"), Options{Model: m})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1500 {
			class := []string{"ham", "spam"}[i%2]
			text := fmt.Sprintf("%s word%d common term%d term%d", class, i, i%17, i%97)
			if a, err := c.Train(ctx, class, c.Document([]byte(text))); err != nil || a.Learned != 1 {
				t.Fatal(i, a, err)
			}
		}
		r, err := c.Classify(ctx, c.Document([]byte("spam common term3")))
		if err != nil {
			t.Fatal(err)
		}
		e, err := c.Explain(ctx, c.Document([]byte("spam common term3")))
		if err != nil {
			t.Fatal(err)
		}
		sum := e.Prior.LogOdds + e.Length.LogOdds - e.Spread
		for _, term := range e.Terms {
			sum += term.LogOdds
		}
		t.Logf("%s %+v %v", m.Name(), r, sum)
		c.Store().View(func(s *store.Snapshot) error {
			t.Log(s.Documents(), s.Vocabulary())
			return nil
		})
		c.Close()
	}
}
