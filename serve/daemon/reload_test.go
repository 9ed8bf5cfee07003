//go:build unix

package daemon

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// reload gives the daemon another configuration and waits until it says what comes of it.
func (p *process) reload(conf, says string) {
	p.t.Helper()
	n := strings.Count(p.logged(), says)
	servetest.Write(p.t, p.dir+"/polya.toml", strings.ReplaceAll(conf, "DIR", p.dir))
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
	servetest.Until(p.t, says, func() bool { return strings.Count(p.logged(), says) > n })
}

func TestReload(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), conf)
	p.ask("POST", "/v1/train?class=spam", letter("casino", 1))
	// Another database, a listener less, one more, and one that is as it was.
	p.reload(strings.NewReplacer("mail.polya", "other.polya", "DIR/http\"", "DIR/http\"\n[[rspamd]]\naddress = \"DIR/rspamd\"",
		"[[spamd]]\naddress = \"DIR/spamd\"\nmode = \"0666\"\n", "[[spamd]]\naddress = \"DIR/spamd2\"\n").Replace(conf), "msg=ready")
	for _, name := range []string{"spamd2", "rspamd", "http", "other.polya.sock"} {
		if !servetest.Listening("unix", p.dir+"/"+name) {
			t.Errorf("nobody listens on %s", name)
		}
	}
	for _, name := range []string{"spamd", "mail.polya.sock"} {
		if _, err := os.Lstat(p.dir + "/" + name); err == nil {
			t.Errorf("%s is not wanted any more and still there", name)
		}
	}
	if n := p.documents("spam", ""); n != 0 {
		t.Errorf("the other database has %d documents", n)
	}
	p.reload(conf, "msg=ready")
	if n := p.documents("spam", ""); n != 1 {
		t.Errorf("the first database has %d documents", n)
	}
	// A socket that somebody removed is there again, and the log has the level that is asked for.
	if err := os.Remove(p.dir + "/spamd"); err != nil {
		t.Fatal(err)
	}
	p.reload(conf+"[log]\nlevel = \"debug\"\n", "msg=ready")
	if !servetest.Listening("unix", p.dir+"/spamd") {
		t.Error("a socket that was removed is not made anew")
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// A configuration that is wrong, or asks for what is not to be had, changes nothing.
func TestReloadRefused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), conf)
	p.ask("POST", "/v1/train?class=spam", letter("casino", 1))
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	unchanged := func(what string) {
		t.Helper()
		if n := p.documents("spam", ""); n != 1 {
			t.Errorf("%s: there are %d documents", what, n)
		}
		for _, name := range []string{"spamd2", "other.polya.sock"} {
			if _, err := os.Lstat(p.dir + "/" + name); err == nil {
				t.Errorf("%s: %s is there", what, name)
			}
		}
		if info, err := os.Lstat(p.dir + "/spamd"); err != nil || info.Mode().Perm() != 0o666 || !servetest.Listening("unix", p.dir+"/spamd") {
			t.Errorf("%s: spamd is %v, %v", what, info, err)
		}
	}
	wanted := strings.NewReplacer("mail.polya", "other.polya", "DIR/spamd", "DIR/spamd2").Replace(conf)
	for what, with := range map[string]string{
		"an unknown key":       "[log]\nlevle = \"warn\"\n",
		"no TOML":              "nonsense",
		"a port in use":        "[[rspamd]]\naddress = \"" + other.Addr().String() + "\"\n",
		"a folder not there":   "[[rspamd]]\naddress = \"DIR/none/rspamd\"\n",
		"no socket of systemd": "[[rspamd]]\naddress = \"systemd:none\"\n",
	} {
		p.reload(wanted+with, "the daemon keeps the old one")
		unchanged(what)
	}
	other.Close()
	p.reload(wanted+"[[rspamd]]\naddress = \""+other.Addr().String()+"\"\n", "msg=ready")
	if !servetest.Listening("tcp", other.Addr().String()) || !servetest.Listening("unix", p.dir+"/spamd2") {
		t.Error("nobody listens where it was possible then")
	}
}

// Clients find a listener at every moment of a reload that changes what it allows, and what is in hand
// is finished.
func TestReloadListener(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "spamc")
	port := servetest.Port(t)
	const token = "0123456789abcdef"
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/token", []byte(token+"1"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := conf + "[[rspamd]]\naddress = \"DIR/slow\"\n[[spamd]]\naddress = \"127.0.0.1:" + port + "\"\n[learning]\ntoken-file = \"token\"\n"
	second := strings.NewReplacer("mail.polya\"", "mail.polya\"\nmax-message = \"2 KiB\"", "[[rspamd]]\naddress = \"DIR/slow\"\n", "",
		"[[spamd]]\naddress = \"DIR/spamd\"\nmode = \"0666\"", "[[milter]]\naddress = \"DIR/spamd\"\nmode = \"0660\"").Replace(first) +
		"[users]\npath = \"DIR/%u.polya\"\nnames = [\"bob\"]\n"
	p := start(t, dir, first)

	learns := func(token string) bool {
		cmd := exec.Command("spamc", "-d", "127.0.0.1", "-p", port, "-u", "bob:"+token, "-x", "-L", "spam")
		cmd.Stdin = strings.NewReader(letter("casino", 1))
		out, _ := cmd.Output()
		return strings.Contains(string(out), "un/learned")
	}
	if !learns(token+"1") || learns(token+"2") {
		t.Error("the first token does not teach, or another does")
	}
	if code, _ := p.ask("POST", "/v1/train?class=ham", letter("meeting", 1)+strings.Repeat("x", 3000)); code != 200 {
		t.Errorf("a long message: %d", code)
	}
	slow, err := net.Dial("unix", p.dir+"/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	slow.SetDeadline(time.Now().Add(2 * time.Minute))
	fmt.Fprint(slow, "POST /checkv2 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n")
	io.ReadFull(slow, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n")))

	var asked, refused atomic.Int64
	done := make(chan struct{})
	asking := make(chan struct{})
	go func() {
		defer close(asking)
		for {
			select {
			case <-done:
				return
			default:
			}
			for network, address := range map[string]string{"tcp": "127.0.0.1:" + port, "unix": p.dir + "/spamd"} {
				time.Sleep(time.Millisecond)
				asked.Add(1)
				if c, err := net.Dial(network, address); err == nil {
					c.Close()
				} else if refused.Add(1) == 1 {
					t.Error(err)
				}
			}
		}
	}()
	for n := range 6 {
		servetest.Write(t, p.dir+"/token", fmt.Sprint(token, 2-n%2))
		p.reload([]string{second, first}[n%2], "msg=ready")
	}
	servetest.Write(t, p.dir+"/token", token+"2")
	p.reload(second, "msg=ready")
	close(done)
	<-asking
	if refused.Load() > 0 || asked.Load() < 20 {
		t.Errorf("%d of %d connections were refused", refused.Load(), asked.Load())
	}
	if learns(token+"1") || !learns(token+"2") {
		t.Error("the first token teaches, or the second does not")
	}
	if n := p.documents("spam", "bob"); n != 1 {
		t.Errorf("bob has %d documents", n)
	}
	if code, _ := p.ask("POST", "/v1/train?class=ham", letter("meeting", 2)+strings.Repeat("x", 3000)); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a message that is too long now: %d", code)
	}
	if info, err := os.Lstat(p.dir + "/spamd"); err != nil || info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Lstat(p.dir + "/slow"); err == nil {
		t.Error("a socket that is not wanted any more is still there")
	}
	fmt.Fprint(slow, "Subject: casino\r\n\r\nx")
	if reply, err := io.ReadAll(slow); !strings.HasPrefix(string(reply), "HTTP/1.1 200") {
		t.Errorf("the reply to what was in hand: %q, %v", reply, err)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// Every page shows an import, also one that a reload has made.
func TestImportOfAllPages(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), conf)
	page := func(socket, method string, body io.Reader, kind string) string {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", p.dir+socket) }}}
		r, _ := http.NewRequest(method, "http://localhost/import", body)
		r.Header.Set("Content-Type", kind)
		reply, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		text, _ := io.ReadAll(reply.Body)
		return string(text)
	}
	page("/http", "POST", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"letters.mbox\"\r\n\r\nFrom a Thu Jan  1 00:00:00 2026\n"+letter("casino", 1)+
		"\r\n--b\r\nContent-Disposition: form-data; name=\"class\"\r\n\r\nspam\r\n--b--\r\n"), "multipart/form-data; boundary=b")
	p.reload(conf+"[[http]]\naddress = \"DIR/other\"\n", "msg=ready")
	for _, socket := range []string{"/http", "/other"} {
		if text := page(socket, "GET", nil, ""); !strings.Contains(text, "import letters.mbox") {
			t.Errorf("%s does not show the import: %s", socket, text)
		}
	}
}
