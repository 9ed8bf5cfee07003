//go:build linux

package peers

import (
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// connections is the number of requests at a time where the daemon is asked about all messages.
const connections = 8

// polyadPeer is polya's daemon, which is asked by spamd's protocol, and through polya filter
// for one message.
func polyadPeer(polya, polyad string) *peer {
	p := polyaPeer("polyad", polya, "full")
	p.note = "the daemon, asked and taught by spamd's protocol; one message through polya filter"
	p.programs = append(p.programs, polyad)
	ask := func(s *session, d harness.Document) harness.Verdict {
		return parseCheck(harness.Must(harness.Ask(s.running.Address, harness.CheckRequest(d))))
	}
	database := func(s *session) string { return filepath.Join(s.dir, "mail.polya") }
	p.serve = func(s *session) *harness.Daemon {
		socket := filepath.Join(s.home, "spamd.sock")
		return harness.Polya(s.ctx, polyad, s.home, socket, fmt.Sprintf("[database]\npath = %q\n[[spamd]]\naddress = %q\n", database(s), socket))
	}
	p.classify = func(s *session, docs []harness.Document) []harness.Verdict {
		verdicts, before := make([]harness.Verdict, len(docs)), harness.TreeCost(s.running.PID())
		harness.Each(len(docs), connections, func(i int) { verdicts[i] = ask(s, docs[i]) })
		after := harness.TreeCost(s.running.PID())
		s.spent.Add(harness.Cost{CPU: after.CPU - before.CPU, Memory: after.Memory})
		return verdicts
	}
	p.ask = func(s *session, d harness.Document) { ask(s, d) }
	p.tell = func(s *session, d harness.Document) {
		harness.Must(harness.Ask(s.running.Address, harness.TellRequest(d)))
	}
	p.classifyOne = func(s *session, d harness.Document) { s.run(nil, d.Path, polya, "filter", "--db", database(s)) }
	return p
}

var spamdVerdict = regexp.MustCompile(`\nSpam: (True|False) ; (\S+) /`)

// parseCheck reads the reply to CHECK, whose score is in points.
func parseCheck(said []byte) harness.Verdict {
	m := spamdVerdict.FindSubmatch(said)
	if m == nil {
		unreadable(string(said))
	}
	return harness.Verdict{Spam: string(m[1]) == "True", Score: number(string(m[2]))}
}
