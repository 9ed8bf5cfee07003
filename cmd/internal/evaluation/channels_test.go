package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

var words = []string{"story", "actor", "music", "scene", "ending", "plot", "dialogue", "camera", "humour", "pace", "voice", "picture"}

// sentence says of some things that they are good or bad, in class 1 by the order of the words
// alone: "not dull but funny" has the words of "not funny but dull".
func sentence(r *rand.Rand, class int, ordered bool) string {
	if !ordered {
		class = r.IntN(2)
	}
	text := ""
	for range 4 {
		text += words[r.IntN(len(words))] + " "
	}
	first, second := "dull", "funny"
	if (class == 1) != (r.IntN(5) == 0) {
		first, second = second, first
	}
	return fmt.Sprintf("%snot %s but %s %s%d", text, first, second, words[r.IntN(len(words))], r.IntN(1000))
}

// Pairs of words pay where only the order of words tells, and nothing pays for noise.
func TestChannels(t *testing.T) {
	t.Parallel()
	for ordered, want := range map[bool]string{true: "pairs", false: ""} {
		c, err := classify.Open(filepath.Join(t.TempDir(), "test.polya"), classify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r := rand.New(rand.NewPCG(1, 2))
		var docs []reading.Document
		for i := range 800 {
			class := i % 2
			d := reading.Document{Format: corpus.Text, Content: []byte(sentence(r, class, ordered)), Class: fmt.Sprint(class)}
			d.Identify()
			d.Count(c.Analyzer())
			docs = append(docs, d)
			if _, err := c.Train(context.Background(), d.Class, d.Learnable("")); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		m, err := NewChannels(&terminal.Streams{Stdout: &out}, c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range docs {
			d := &docs[i]
			m.Add(d, d.Class)
			m.Add(d, d.Class) // a copy
		}
		if err := m.Measure(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		if m.Best != want {
			t.Errorf("ordered %v: %q pays, want %q: %+v", ordered, m.Best, want, m.Measured)
		}
		if err := m.Print(); err != nil || strings.Contains(out.String(), "\n'polya retrain --channel pairs PATH…': error ") != ordered {
			t.Errorf("%s: %v", out.String(), err)
		}
		if m.Sampled > 800 || int(m.Learned) != m.Sampled || len(m.Measured) != 4 {
			t.Errorf("%+v", m)
		}
	}
}
