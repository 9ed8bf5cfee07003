package tags

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Databases of tags that follow a log give tags, and the same ones in whatever parts they have
// applied it.
func TestFollow(t *testing.T) {
	var log []store.Logged
	var question classify.Document
	followers := make([]*classify.Classifier, 2)
	for i := range followers {
		c, err := classify.Open(filepath.Join(t.TempDir(), "db"), classify.Options{Holds: classify.Tags, Fitting: classify.FitByHand})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Store().Follow(store.Stream{Name: "log"}, 0); err != nil {
			t.Fatal(err)
		}
		followers[i] = c
	}
	for i := range 300 {
		tag, text := []string{"travel", "family", ""}[i%3], []string{"beach hotel flight", "mother birthday cake", "minutes agenda room"}[i%3]
		set, err := count.TagSet()
		if tag != "" {
			set, err = count.TagSet(tag)
		}
		if err != nil {
			t.Fatal(err)
		}
		var b classify.Batch
		if err := b.Train(set, followers[0].Document(fmt.Appendf(nil, "%s number%d", text, i))); err != nil {
			t.Fatal(err)
		}
		log = append(log, store.Logged{Delta: b.Delta(), Position: uint64(i + 1)})
	}
	question = followers[0].Document([]byte("a hotel at the beach and a flight"))
	if _, err := followers[0].ApplyLog(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(log, 7) {
		if _, err := followers[1].ApplyLog(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	var states [2][]byte
	for i, c := range followers {
		to, err := New(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := to.Score(t.Context(), question)
		if err != nil || !slices.Equal(r.Tags(), []string{"travel"}) {
			t.Errorf("follower %d: %v, %v", i, r.Tags(), err)
		}
		if err := c.Store().View(func(s *store.Snapshot) error {
			states[i] = append(s.State(tagged.KeyCalibration), s.State(tagged.KeyLayer)...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(states[0]) == 0 || !bytes.Equal(states[0], states[1]) {
		t.Errorf("fits of %d and %d bytes differ", len(states[0]), len(states[1]))
	}
}
