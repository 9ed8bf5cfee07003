package numbergame

import (
	"testing"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
)

// named returns the index of a hypothesis.
func named(t *testing.T, s *concept.Space[int], name string) int {
	t.Helper()
	for i, h := range s.Hypotheses {
		if h.Name == name {
			return i
		}
	}
	t.Fatalf("no hypothesis %q", name)
	return -1
}

func learn(t *testing.T, s *concept.Space[int], data ...int) *concept.Posterior[int] {
	t.Helper()
	p, err := s.Learn(data...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
