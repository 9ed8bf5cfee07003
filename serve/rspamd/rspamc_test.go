package rspamd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// TestRspamc asks with the real rspamc.
func TestRspamc(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "rspamc")
	const rspamc = "rspamc"
	server := New(gate.Options{Backend: &servetest.Backend{}, Token: "cherry", Version: "1.2"})
	tcp, unix := servetest.Serve(t, "tcp", server.Serve), servetest.Serve(t, "unix", server.Serve)
	message := filepath.Join(t.TempDir(), "message")
	for _, test := range []struct {
		address, args, message string
		code                   int
		want                   []string
	}{
		{tcp, "symbols", spam, 0, []string{"Action: add header\n", "Spam: true\n", "Score: 9.60 / 1.00\n", "Symbol: POLYA_SPAM (9.60)[spam; probability=0.9987]\n"}},
		{tcp, "symbols", ham, 0, []string{"Action: no action\n", "Spam: false\n", "Score: -6.30 / 1.00\n", "Symbol: POLYA_HAM (-6.30)"}},
		{tcp, "--json symbols", spam, 0, []string{`"action": "add header"`, `"X-Polya-Class": {`}},
		{tcp, "--mime symbols", spam, 0, []string{"X-Spam: yes\r\n", "X-Spam-Symbols: POLYA_SPAM\r\n", "plum plum\r\n"}},
		{unix, "symbols", spam, 0, []string{"Spam: true\n"}},
		{tcp, "learn_spam", ham, 1, []string{"Unauthorized"}},
		{tcp, "-P plum learn_spam", ham, 1, []string{"Unauthorized"}},
		{tcp, "-P cherry learn_spam", ham, 0, []string{"success = true"}},
		{tcp, "-P cherry learn_spam", ham, 0, []string{"already learned as spam"}},
		{tcp, "symbols", ham, 0, []string{"Spam: true\n"}},
		{unix, "learn_ham", ham, 0, []string{"success = true"}},
		{tcp, "symbols", ham, 0, []string{"Spam: false\n"}},
		{tcp, "-P cherry -d alice learn_spam", ham, 0, []string{"success = true"}},
		{tcp, "-d alice symbols", ham, 0, []string{"Spam: true\n"}},
		{tcp, "-d bob symbols", ham, 0, []string{"Spam: false\n"}},
		{tcp, "stat", "", 0, []string{"Messages scanned: 9\n", "Messages treated as spam: 6", "Messages learned: 3\n"}},
		{tcp, "-P cherry uptime", "", 0, []string{"Uptime: "}},
	} {
		servetest.Write(t, message, test.message)
		args := append([]string{"-h", test.address}, strings.Fields(test.args)...)
		if test.message != "" {
			args = append(args, message)
		}
		got, code := servetest.Exit(t, "", rspamc, args...)
		if code != test.code {
			t.Errorf("rspamc %s: exit code %d, want %d: %s", test.args, code, test.code, got)
		}
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("rspamc %s: no %q in %s", test.args, want, got)
			}
		}
	}
}
