package spamd

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// exim is the path of an Exim that scans contents: POLYA_EXIM names it where another mail
// server is installed and it is unpacked beside.
func exim(t *testing.T) string {
	path := cmp.Or(os.Getenv("POLYA_EXIM"), "exim4")
	servetest.Need(t, path)
	said, _ := exec.Command(path, "-bV").CombinedOutput() // fails where no configuration is installed
	if !strings.Contains(string(said), "Content_Scanning") {
		servetest.Leave(t, path+" does not scan contents")
	}
	return path
}

// eximConfiguration is the rest of a configuration that delivers into DIR/box.
const eximConfiguration = `
spool_directory = DIR/spool
log_file_path = DIR/log/%slog
exim_user = Debian-exim
primary_hostname = example.test
acl_smtp_rcpt = accept
keep_environment =
deliver_drop_privilege
MAIN
acl_smtp_data = acl_check_data
begin acl
acl_check_data:
.include CHECK_DATA_LOCAL_ACL_FILE
  accept
begin routers
local:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = DIR/box
  maildir_format
begin retry
* * F,1s,1s
`

// TestExim delivers by the real Exim with the configuration of docs/exim.md.
func TestExim(t *testing.T) {
	t.Parallel()
	program := exim(t)
	const deliver = "EHLO me\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<bob@example.test>\r\nDATA\r\n" +
		"X-Polya-Class:ham; forged\r\nx-polya-class : ham;\r\n\tforged\r\nX-SPAM-FLAG: forged\r\nSubject: offer\r\n\r\nMESSAGE\r\n.\r\nQUIT\r\n"
	for _, test := range []struct {
		name, network, variant string
		serve                  func(context.Context, net.Listener) error // instead of a server
	}{
		{"unix", "unix", "", nil},
		{"tcp", "tcp", "", nil},
		{"rspamd", "tcp", " variant=rspamd", nil},
		{"rspamd-unix", "unix", " variant=rspamd", nil},
		{"gone", "unix", "", func(_ context.Context, l net.Listener) error { return l.Close() }},
		{"killed", "unix", "", dying("SPAMD/1.1 0 EX_OK\r\nSpam: Tr", false)},
		{"stopped", "unix", "", dying("", true)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := &servetest.Backend{}
			dies, patience := test.serve != nil, "tmo=1s"
			if !dies {
				test.serve, patience = New(gate.Options{Backend: b}).Serve, "tmo=60s" // a busy machine may be slow
			}
			address := servetest.Serve(t, test.network, test.serve)
			dir := servetest.Dir(t)
			box := filepath.Join(dir, "box")
			servetest.Chown(t, "Debian-exim", filepath.Join(dir, "spool"), filepath.Join(dir, "log"), box)
			page := servetest.Page(t, "../../docs/exim/main.conf", "/etc/exim4", dir, "tmo=15s", patience+test.variant,
				"/run/polya/spamd.sock", strings.Replace(address, ":", " ", 1))
			servetest.Write(t, filepath.Join(dir, "polya_acl.conf"), servetest.Page(t, "../../docs/exim/polya_acl.conf"))
			servetest.Write(t, filepath.Join(dir, "exim.conf"), strings.NewReplacer("DIR", dir, "MAIN", page).Replace(eximConfiguration))
			for body, want := range map[string][]string{
				"plum":   {"X-Polya-Class: spam; probability=0.9987\n", "X-Spam-Score: 9.6\n", "X-Spam-Flag: YES\n"},
				"cherry": {"X-Polya-Class: ham; probability=0.9876\n", "X-Spam-Score: -6.3\n"},
			} {
				said, code := servetest.Exit(t, strings.Replace(deliver, "MESSAGE", body, 1), program,
					"-C", filepath.Join(dir, "exim.conf"), "-bs", "-odf")
				if code != 0 || !strings.Contains(said, "250 OK id=") {
					t.Fatalf("exit code %d: %s", code, said)
				}
				files, _ := filepath.Glob(filepath.Join(box, "new", "*"))
				if len(files) != 1 {
					log, _ := os.ReadFile(filepath.Join(dir, "log", "mainlog"))
					t.Fatalf("%d messages were delivered: %s", len(files), log)
				}
				message, err := os.ReadFile(files[0])
				if err != nil {
					t.Fatal(err)
				}
				os.Remove(files[0])
				if dies {
					want = nil
				}
				checkDelivered(t, string(message), body, want)
			}
			calls := b.Calls()
			for _, call := range calls {
				if call.User != "bob" && (test.variant == "" || call.User != "bob@example.test") {
					t.Errorf("asked for user %q", call.User)
				}
			}
			if len(calls) != 2 && !dies {
				t.Errorf("asked %d times about two messages", len(calls))
			}
		})
	}
}

// checkDelivered holds that a message has its body, these fields, and no others that
// only a filter adds.
func checkDelivered(t *testing.T, message, body string, fields []string) {
	t.Helper()
	header, rest, _ := strings.Cut(message, "\n\n")
	if strings.TrimSpace(rest) != body || strings.Contains(message, "forged") {
		t.Errorf("delivered: %s", message)
	}
	header = "\n" + header + "\n"
	for _, field := range fields {
		if !strings.Contains(header, "\n"+field) {
			t.Errorf("no %q in %s", field, message)
		}
	}
	lower := strings.ToLower(header)
	if n := strings.Count(lower, "\nx-polya") + strings.Count(lower, "\nx-spam"); n != len(fields) {
		t.Errorf("%d fields of filters, want %d: %s", n, len(fields), message)
	}
}
