package milter

import (
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

func TestMiltertest(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "miltertest")
	path := start(t, Options{TempFailOnError: true, Limits: gate.Limits{Message: 100_000}, Rules: []Rule{
		{Class: "junk", Action: Quarantine}, {Class: "bad", Action: Reject},
	}})
	servetest.Run(t, "miltertest", "-v", "-s", "testdata/session.lua", "-D", "socket=unix:"+path)
}
