package spamd

import (
	"net/smtp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// postfixConfiguration is the rest of a configuration that delivers into DIR/box.
const postfixConfiguration = `
compatibility_level = 3.6
queue_directory = DIR/spool
data_directory = DIR/data
mail_owner = postfix
setgid_group = postdrop
maillog_file = DIR/log
maillog_file_prefixes = DIR
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_relay_restrictions = permit_mynetworks, reject
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = example.test
virtual_mailbox_base = DIR/box
virtual_mailbox_maps = static:user/
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_minimum_uid = 1
`

const postfixServices = `
127.0.0.1:PORT inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
virtual unix - n n - - virtual
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
`

// startPostfix starts a Postfix with more lines in its configuration, in dir and on a
// port of its own, and returns where it listens and delivers.
func startPostfix(t *testing.T, dir, more string) (address, box string) {
	t.Helper()
	servetest.Need(t, "postfix")
	const program = "postfix"
	box = filepath.Join(dir, "box")
	servetest.Chown(t, "root", filepath.Join(dir, "spool"), filepath.Join(dir, "etc"))
	servetest.Chown(t, "postfix", filepath.Join(dir, "data"))
	servetest.Chown(t, "nobody", box)
	port := servetest.Port(t)
	etc := filepath.Join(dir, "etc")
	servetest.Write(t, filepath.Join(etc, "main.cf"), strings.ReplaceAll(postfixConfiguration, "DIR", dir)+more)
	servetest.Write(t, filepath.Join(etc, "master.cf"), strings.ReplaceAll(postfixServices, "PORT", port))
	servetest.Start(t, program, "-c", etc, "start-fg")
	t.Cleanup(func() {
		exec.Command(program, "-c", etc, "stop").Run()
		if log, _ := os.ReadFile(filepath.Join(dir, "log")); t.Failed() {
			t.Logf("%s", log)
		}
	})
	address = "127.0.0.1:" + port
	servetest.Until(t, "a server", func() bool { return servetest.Listening("tcp", address) })
	return address, box
}

// delivered waits for the message that has a word in it, and takes it from the mailbox.
func delivered(t *testing.T, box, word string) string {
	t.Helper()
	for range 3000 {
		files, _ := filepath.Glob(filepath.Join(box, "user", "new", "*"))
		for _, file := range files {
			if message, err := os.ReadFile(file); err == nil && strings.Contains(string(message), word) {
				os.Remove(file)
				return string(message)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no message with %s was delivered", word)
	return ""
}

// TestSpamassMilter delivers by the real Postfix with the real spamass-milter, which asks
// by spamc, with the configuration of docs/spamc.md.
func TestSpamassMilter(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "spamass-milter")
	const milter = "spamass-milter"
	servetest.Need(t, "spamc")
	address := servetest.Serve(t, "unix", New(gate.Options{Backend: &servetest.Backend{}}).Serve)
	dir := servetest.Dir(t)
	servetest.Write(t, filepath.Join(dir, "polya_header_checks"), servetest.Page(t, "../../docs/spamass-milter/polya_header_checks"))
	postfix, box := startPostfix(t, dir, servetest.Page(t, "../../docs/spamass-milter/main.cf",
		"unix:spamass/spamass.sock", "unix:"+filepath.Join(dir, "m.sock"), "/etc/postfix", dir))

	_, options, _ := strings.Cut(servetest.Page(t, "../../docs/spamass-milter/default", "/run/polya/spamd.sock", address), `OPTIONS="`)
	options, _, _ = strings.Cut(options, `"`)
	send := func(message string) {
		message = "X-Polya-Class:ham; forged\r\nX-Spam-Flag:NO, forged\r\nx-spam-status: No, forged\r\n" + message
		if err := smtp.SendMail(postfix, nil, "a@example.test", []string{"user@example.test"}, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	// Without spamass-milter mail is delivered, with nothing that looks like an answer.
	send("Subject: first\r\n\r\nfirst\r\n")
	checkDelivered(t, delivered(t, box, "first"), "first", nil)

	servetest.Start(t, milter, append([]string{"-p", filepath.Join(dir, "m.sock")}, strings.Fields(options)...)...)
	servetest.Until(t, "a server", func() bool { return servetest.Listening("unix", filepath.Join(dir, "m.sock")) })
	if err := os.Chmod(filepath.Join(dir, "m.sock"), 0o777); err != nil {
		t.Fatal(err)
	}
	send("Subject: offer\r\n\r\nplum\r\n")
	checkDelivered(t, delivered(t, box, "plum"), "plum", []string{"X-Spam-Flag: YES\n",
		"X-Spam-Status: Yes, score=9.6 required=1.0 tests=POLYA_SPAM autolearn=no version=polya\n"})
	send("Subject: hello\r\n\r\ncherry\r\n")
	checkDelivered(t, delivered(t, box, "cherry"), "cherry", []string{
		"X-Spam-Status: No, score=-6.3 required=1.0 tests=POLYA_HAM autolearn=no version=polya\n"})
}
