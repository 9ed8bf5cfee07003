package learning

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// A class that another process makes while documents are read is no new one of this training.
func TestNewClasses(t *testing.T) {
	t.Parallel()
	for _, set := range []bool{false, true} {
		c, err := classify.OpenMemory(nil, classify.Options{Holds: map[bool]classify.Holds{true: classify.Tags}[set]})
		if err != nil {
			t.Fatal(err)
		}
		named := func(tags ...string) string {
			if !set {
				return tags[0]
			}
			name, err := count.TagSet(tags...)
			if err != nil {
				t.Fatal(err)
			}
			return name
		}
		training := NewTraining(t.Context(), c, &reading.Reader{Streams: &terminal.Streams{Quiet: true}, Attributes: &reading.Attributes{}}, named("ham"), "", 0, true)
		if _, err := c.Train(t.Context(), named("spam"), c.Document([]byte("casino"))); err != nil {
			t.Fatal(err)
		}
		if err := training.batch.Train(named("ham"), c.Document([]byte("plum"))); err != nil {
			t.Fatal(err)
		}
		training.placed[count.DocID{1}] = placed{class: named("ham", "spam")}
		training.placed[count.DocID{2}] = placed{class: named("ham")}
		if err := training.apply(); err != nil {
			t.Fatal(err)
		}
		if got := statistics.Now(c.Store(), training.IsNew); !strings.Contains(got, "ham 1 (new), spam 1") || strings.Contains(got, "spam 1 (new)") {
			t.Errorf("tags %v: %s", set, got)
		}
		c.Close()
	}
}
