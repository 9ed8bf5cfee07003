package script

import (
	"testing"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

func TestMain(m *testing.M) {
	s, err := New(Options{Backend: &fake{learned: map[string]string{"bob@example.test casino": "spam"}}})
	if err != nil {
		panic(err)
	}
	servetest.Main(m, s.Serve)
}
