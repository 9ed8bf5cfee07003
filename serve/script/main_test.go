package script

import (
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

func TestMain(m *testing.M) {
	s := New(gate.Options{Backend: &fake{learned: map[string]string{"bob@example.test casino": "spam"}}})
	servetest.Main(m, s.Serve)
}
