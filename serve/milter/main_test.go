package milter

import (
	"testing"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

func TestMain(m *testing.M) {
	s, err := New(Options{Backend: &fake{}})
	if err != nil {
		panic(err)
	}
	servetest.Main(m, s.Serve)
}
