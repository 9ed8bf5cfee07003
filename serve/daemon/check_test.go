//go:build unix

package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// A check says what would keep the daemon from starting, disturbs none that runs, and leaves
// nothing behind.
func TestCheck(t *testing.T) {
	t.Parallel()
	none := strings.Replace(conf, "[[spamd]]", "[decisions]\nkeep = false\n[[spamd]]", 1) // their file is made when there is time
	p := start(t, t.TempDir(), none)
	before, err := os.ReadDir(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if notes, err := Check(p.dir+"/polya.toml", Options{}); err != nil || notes != nil {
		t.Errorf("beside its daemon: %q, %v", notes, err)
	}
	if now, err := os.ReadDir(p.dir); err != nil || len(now) != len(before) {
		t.Errorf("%v became %v", before, now)
	}
	if code, reply := p.ask("GET", "/readyz", ""); code != 200 {
		t.Errorf("the daemon answers %d, %v", code, reply)
	}

	dir := t.TempDir()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	servetest.Write(t, dir+"/file", "")
	servetest.Write(t, dir+"/polya.toml", strings.NewReplacer("DIR", dir, "PORT", port.Addr().String()).Replace(`[database]
path = "DIR/none/mail.polya"
control = false
[[spamd]]
address = "DIR/file"
[[script]]
address = "DIR/missing/script"
[[spool]]
address = "DIR/spool"
[[rspamd]]
address = "PORT"
[[milter]]
address = "systemd:milter"
`))
	notes, err := Check(dir+"/polya.toml", Options{})
	want := strings.ReplaceAll(`[[spamd]] DIR/file: DIR/file is there and is no socket
[[script]] DIR/missing/script: the folder DIR/missing does not exist
the folder DIR/none does not exist`, "DIR", dir)
	if err == nil || err.Error() != want {
		t.Errorf("%v\nshould be\n%s", err, want)
	}
	if len(notes) != 1 || notes[0] != "another process listens on "+port.Addr().String() {
		t.Errorf("notes %q", notes)
	}
}

// teachScript sends a request to learn, as Dovecot does, and returns the answer.
func teachScript(t *testing.T, socket, user, class, message string) string {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("VERSION\tscript\t4\t0\nenv_USER=" + user + "\n-\nlearn\n" + class + "\n\n" + message)); err != nil {
		t.Fatal(err)
	}
	c.(*net.UnixConn).CloseWrite()
	answer := make([]byte, 2)
	n, _ := c.Read(answer)
	return string(answer[:n])
}

// What scripts teach while the daemon is stopped it learns when it is back, after the spool
// was killed too.
func TestSpoolStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	conf := conf + "[[spool]]\naddress = \"DIR/learn\"\n"
	spool := begin(t, dir, conf, "env", "POLYA_TEST_SPOOL=1")
	spool.wait("msg=listening")
	for n := range 20 {
		if answer := teachScript(t, dir+"/learn", "bob", map[bool]string{true: "spam", false: "ham"}[n%2 == 0], letter("casino", n)); answer != "+\n" {
			t.Fatalf("message %d: %q", n, answer)
		}
	}
	spool.end(syscall.SIGKILL)
	if files, err := filepath.Glob(dir + "/mail.polya.spool/*"); err != nil || len(files) != 20 {
		t.Fatalf("the spool has %q, %v", files, err)
	}
	p := start(t, dir, conf)
	servetest.Until(t, "what was spooled", func() bool { return p.documents("spam", "") == 10 && p.documents("ham", "") == 10 })
	spool = begin(t, dir, conf, "env", "POLYA_TEST_SPOOL=1")
	spool.wait("msg=listening")
	teachScript(t, dir+"/learn", "bob", "spam", letter("casino", 100))
	servetest.Until(t, "what is spooled", func() bool { return p.documents("spam", "") == 11 })
	servetest.Until(t, "an empty spool", func() bool { // a file goes once its message is learned
		files, err := filepath.Glob(dir + "/mail.polya.spool/*")
		return err == nil && len(files) == 0
	})
}

// A daemon makes the token that its configuration names, and a check does not.
func TestTokenMade(t *testing.T) {
	t.Parallel()
	dir, withToken := t.TempDir(), conf+"[learning]\ntoken-file = \"DIR/token\"\n"
	servetest.Write(t, dir+"/polya.toml", strings.ReplaceAll(withToken, "DIR", dir))
	if notes, err := Check(dir+"/polya.toml", Options{}); err != nil || notes != nil {
		t.Errorf("before it is made: %q, %v", notes, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the check left %v, %v", left, err)
	}
	start(t, dir, withToken)
	if info, err := os.Stat(dir + "/token"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token: %v, %v", info, err)
	}
}
