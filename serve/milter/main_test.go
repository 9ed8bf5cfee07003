package milter

import (
	"testing"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

func TestMain(m *testing.M) {
	s := Options{Backend: &fake{}}.server()
	servetest.Main(m, s.Serve)
}
