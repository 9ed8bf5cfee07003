package milter

import (
	"testing"

	"github.com/polya-classifier/polya/serve/internal/programs"
)

func TestMiltertest(t *testing.T) {
	t.Parallel()
	programs.Need(t, "miltertest")
	path := start(t, Options{TempFailOnError: true, Limits: Limits{MessageBytes: 100_000}, Rules: []Rule{
		{Class: "junk", Action: Quarantine}, {Class: "bad", Action: Reject},
	}})
	programs.Run(t, "miltertest", "-v", "-s", "testdata/session.lua", "-D", "socket=unix:"+path)
}
