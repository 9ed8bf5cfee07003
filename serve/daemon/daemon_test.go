//go:build unix

package daemon

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

const conf = `[database]
path = "DIR/mail.polya"
[[spamd]]
address = "DIR/spamd"
mode = "0666"
[[http]]
address = "DIR/http"
`

func TestSpamc(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "spamc")
	p := start(t, t.TempDir(), conf)
	spamc := func(message string, args ...string) (string, int) {
		cmd := exec.Command("spamc", append([]string{"-U", p.dir + "/spamd"}, args...)...)
		cmd.Stdin = strings.NewReader(message)
		out, _ := cmd.Output()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := spamc(letter("casino", 1), "-c"); code != 0 || !strings.HasPrefix(out, "0.0/") {
		t.Errorf("before anything was learned: %s, exit code %d", out, code)
	}
	if out, _ := spamc(letter("casino", 0), "-L", "spam"); !strings.Contains(out, "successfully") {
		t.Error(out)
	}
	if n := p.documents("spam", ""); n != 1 {
		t.Errorf("%d documents of spam", n)
	}
	if out, _ := spamc(letter("casino", 0), "-L", "forget"); !strings.Contains(out, "successfully") {
		t.Error(out)
	}
	if log := p.logged(); strings.Count(log, "all answers are unsure") != 1 {
		t.Errorf("the log does not say once that nothing was taught:\n%s", log)
	}
	if _, reply := p.ask("GET", "/metrics", ""); !strings.Contains(reply["text"].(string), "polya_untaught 1") {
		t.Error("metrics do not say that nothing was taught")
	}
	p.teach()
	if _, code := spamc(letter("casino", 1000), "-c"); code != 1 {
		t.Error("spam is not spam")
	}
	message := letter("meeting", 1000)
	out, code := spamc(message)
	if code != 0 || !strings.Contains(out, "X-Polya-Class: ham; probability=") || !strings.HasSuffix(out, message[strings.Index(message, "\r\n\r\n"):]) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for _, want := range []string{`polya_answers_total{class="spam",source="spamc",unsure="false"} 1`, `polya_documents{class="ham"} 40`, "polya_calibration_log_loss{", "polya_untaught 0"} {
		servetest.Until(t, want, func() bool {
			_, reply := p.ask("GET", "/metrics", "")
			return strings.Contains(reply["text"].(string), want)
		})
	}
	if log := p.logged(); strings.Contains(log, "example.org") || strings.Contains(log, "number") {
		t.Error("the log has something of a message")
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
	if _, err := os.Lstat(p.dir + "/spamd"); err == nil {
		t.Error("the socket is still there")
	}
}

// The log says when it starts that no answer can be spam, since what was learned has other names.
func TestNoSpam(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, conf)
	for n, class := range []string{"Junk", "INBOX"} {
		if code, reply := p.ask("POST", "/v1/train?new&class="+class, letter("casino", n)); code != 200 {
			t.Fatal(code, reply)
		}
	}
	for spam, want := range map[string]bool{`"spam"`: true, `"Junk"`: false, ``: false} {
		if err := p.end(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		p = start(t, dir, strings.Replace(conf, "[[spamd]]", "spam = ["+spam+"]\n[[spamd]]", 1))
		if strings.Contains(p.logged(), "no answer is spam") != want {
			t.Errorf("spam is [%s]:\n%s", spam, p.logged())
		}
	}
}

// Where no decisions are kept any more the log says that those of before are still on the disk.
func TestKeptBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none := strings.Replace(conf, "[[spamd]]", "[decisions]\nkeep = false\n[[spamd]]", 1)
	for _, of := range []struct {
		conf string
		told bool
	}{{none, false}, {conf, false}, {none, true}} {
		p := start(t, dir, of.conf)
		if err := p.end(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.logged(), "no decisions are kept") != of.told {
			t.Errorf("with\n%s\nit logs\n%s", of.conf, p.logged())
		}
	}
}

// What was acknowledged is there after the daemon was killed in the middle of trainings, and
// a new one takes the place of the sockets that it left.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 3 {
		p := start(t, dir, conf)
		before := p.documents("spam", "")
		var acknowledged atomic.Int64
		var clients sync.WaitGroup
		for client := range 8 {
			clients.Go(func() {
				for n := 0; ; n++ {
					code, reply := p.ask("POST", "/v1/train?class=spam", letter("casino", round*1_000_000+client*10_000+n))
					if code != 200 || reply["outcome"] != "learned" {
						return
					}
					acknowledged.Add(1)
				}
			})
		}
		servetest.Until(t, "trainings", func() bool { return acknowledged.Load() > 100 })
		p.end(syscall.SIGKILL)
		clients.Wait()
		p = start(t, dir, conf)
		// One of each client may be on the disk without its having heard of it.
		if n, want := p.documents("spam", "")-before, int(acknowledged.Load()); n < want || n > want+8 {
			t.Errorf("%d trainings were acknowledged, %d are there", want, n)
		}
		if err := p.end(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
}

// What is in hand when the daemon is told to stop is finished, whatever the protocol.
func TestStop(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), conf+"[[rspamd]]\naddress = \"DIR/rspamd\"\n[[script]]\naddress = \"DIR/script\"\n")
	message := letter("casino", 1)
	post := func(path string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", path, len(message))
	}
	slow := map[string]net.Conn{}
	for name, head := range map[string]string{
		"http":   post("/v1/train?class=spam"),
		"rspamd": post("/checkv2"),
		"spamd":  fmt.Sprintf("CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n", len(message)),
		"script": "VERSION\tscript\t4\t0\nenv_USER=bob\n-\nclassify\n\n",
	} {
		c, err := net.Dial("unix", p.dir+"/"+name)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(2 * time.Minute))
		fmt.Fprint(c, head)
		if strings.HasPrefix(head, "POST") { // and is in hand when it is asked for the body
			if _, err := io.ReadFull(c, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))); err != nil {
				t.Fatal(name, err)
			}
		}
		fmt.Fprint(c, message[:20])
		slow[name] = c
	}
	servetest.Until(t, "the connections", func() bool { code, _ := p.ask("GET", "/healthz", ""); return code == 200 })
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait("msg=stopping")
	for name, want := range map[string]string{"http": "HTTP/1.1 200", "rspamd": "HTTP/1.1 200", "spamd": "SPAMD/1.1 0 EX_OK", "script": "unsure"} {
		c := slow[name]
		fmt.Fprint(c, message[20:])
		if name == "script" { // Dovecot says so that this is all
			c.(*net.UnixConn).CloseWrite()
		}
		reply, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(reply), want) {
			t.Errorf("%s: reply %q, %v", name, reply, err)
		}
		c.Close()
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Of a database that its user may not open the daemon says what has to be otherwise, as a check does.
func TestDatabaseOfAnother(t *testing.T) {
	t.Parallel()
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("no setpriv: root may open every file")
	}
	dir := t.TempDir()
	servetest.Write(t, dir+"/mail.polya", "it is longer than nothing, and nobody may read it")
	if err := os.Chmod(dir+"/mail.polya", 0); err != nil {
		t.Fatal(err)
	}
	p := begin(t, dir, conf, setpriv, "--bounding-set=-all", "--inh-caps=-all")
	p.wait("cannot use the database")
	p.wait(fmt.Sprintf("permission denied: it must belong to the user of this process (%d)", os.Geteuid()))
}

// Who may not listen on a port of root's hears what else there is.
func TestPortOfRoot(t *testing.T) {
	t.Parallel()
	setpriv, err := exec.LookPath("setpriv")
	if first, _ := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start"); err != nil || string(first) != "1024\n" {
		t.Skip("no setpriv, or everybody may listen there")
	}
	p := begin(t, t.TempDir(), strings.Replace(conf, "DIR/spamd", "127.0.0.1:783", 1), setpriv, "--bounding-set=-all", "--inh-caps=-all")
	p.wait("may not listen on the port of 127.0.0.1:783: take one from 1024 on, or a socket of systemd")
}

// A database that another process has, or that is none, keeps nobody waiting, and the
// daemon has it as soon as it can.
func TestDatabaseInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	servetest.Write(t, dir+"/mail.polya", "this is no database, though it is longer than nothing")
	p := begin(t, dir, conf)
	p.wait("cannot use the database")
	if code, _ := p.ask("GET", "/readyz", ""); code != 503 {
		t.Errorf("/readyz: %d", code)
	}
	if code, _ := p.ask("GET", "/healthz", ""); code != 200 {
		t.Errorf("/healthz: %d", code)
	}
	if code, _ := p.ask("POST", "/v1/classify", letter("casino", 1)); code != 503 {
		t.Errorf("an answer without a database: %d", code)
	}
	if err := os.Remove(dir + "/mail.polya"); err != nil {
		t.Fatal(err)
	}
	servetest.Until(t, "the database", func() bool { code, _ := p.ask("GET", "/readyz", ""); return code == 200 })
}

func TestSockets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, conf)
	for name, mode := range map[string]fs.FileMode{"spamd": 0o666, "http": 0o600, "mail.polya.sock": 0o600} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	// A second daemon leaves the sockets of the first alone.
	second := begin(t, dir, strings.Replace(conf, "mail.polya", "other.polya", 1))
	if err := second.cmd.Wait(); err == nil {
		t.Error("a second daemon runs on the same sockets")
	}
	second.wait("another process listens on")
	if code, _ := p.ask("GET", "/healthz", ""); code != 200 {
		t.Error("the second daemon took the socket of the first")
	}
	// So does one with a file in the way.
	servetest.Write(t, dir+"/file", "precious")
	third := begin(t, dir, strings.ReplaceAll(strings.ReplaceAll(conf, "DIR/spamd", "DIR/file"), "DIR/http", "DIR/other"))
	if err := third.cmd.Wait(); err == nil {
		t.Error("a daemon took the place of a file")
	}
	third.wait("is no socket")
	if b, err := os.ReadFile(dir + "/file"); err != nil || !bytes.Equal(b, []byte("precious")) {
		t.Errorf("the file is %q, %v", b, err)
	}
}

// What is in the way of a listener is said in one line.
func TestCannotListen(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken := other.Addr().String()
	for address, want := range map[string]string{
		taken:                              `error: [[spamd]] ` + taken + `: another process listens on ` + taken,
		"DIR/none/spamd":                   "error: [[spamd]] DIR/none/spamd: the folder DIR/none does not exist",
		"192.0.2.1:783\"\nremote = true #": "error: [[spamd]] 192.0.2.1:783: this machine does not have the address 192.0.2.1:783",
	} {
		dir := t.TempDir()
		p := begin(t, dir, strings.Replace(conf, "DIR/spamd", address, 1))
		if err := p.cmd.Wait(); err == nil {
			t.Errorf("the daemon listens on %s", address)
		}
		p.wait(strings.ReplaceAll(want, "DIR", dir))
	}
	p := begin(t, t.TempDir(), strings.Replace(conf, "DIR/mail", "DIR/none/mail", 1))
	if err := p.cmd.Wait(); err == nil {
		t.Error("the daemon has a control socket in a folder that is not there")
	}
	p.wait("error: database.control " + p.dir + "/none/mail.polya.sock: the folder " + p.dir + "/none does not exist")
}

// Systemd holds the sockets, and hears when the daemon is ready and when it stops.
func TestSystemd(t *testing.T) {
	t.Parallel()
	servetest.Need(t, "systemd-socket-activate", "spamc")
	dir := t.TempDir()
	states, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: dir + "/notify", Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer states.Close()
	port := servetest.Port(t)
	p := begin(t, dir, `[database]
path = "DIR/mail.polya"
[[spamd]]
address = "systemd:spamd"
[[http]]
address = "systemd:http"
`, "systemd-socket-activate", "-E", "POLYA_TEST_CONFIG="+dir+"/polya.toml", "-E", "NOTIFY_SOCKET="+dir+"/notify",
		"-l", dir+"/http", "-l", "127.0.0.1:"+port, "--fdname=http:spamd")
	servetest.Until(t, "systemd", func() bool { return servetest.Listening("unix", dir+"/http") })
	if code, _ := p.ask("GET", "/healthz", ""); code != 200 {
		t.Errorf("/healthz: %d", code)
	}
	heard := func(want string) {
		t.Helper()
		b := make([]byte, 1000)
		states.SetReadDeadline(time.Now().Add(2 * time.Minute))
		n, err := states.Read(b)
		if err != nil || !strings.HasPrefix(string(b[:n]), want) {
			t.Errorf("systemd hears %q, %v; not %s", b[:n], err, want)
		}
	}
	heard("READY=1")
	if out := servetest.Run(t, "spamc", "-d", "127.0.0.1", "-p", port, "-K"); !strings.HasPrefix(out, "SPAMD/") {
		t.Error(out)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	heard("STOPPING=1")
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A message that is longer than the database takes is answered by its beginning and end,
// by each protocol that reads past the rest.
func TestMaxMessage(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), strings.Replace(conf, "[[spamd]]", "max-message = \"32 KiB\"\n[[spamd]]", 1)+
		"[[script]]\naddress = \"DIR/script\"\n[[milter]]\naddress = \"DIR/milter\"\n")
	p.teach()
	long := letter("casino", 1) + strings.Repeat("padding\r\n", 10_000)
	dial := func(name string) *net.UnixConn {
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: p.dir + "/" + name, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(time.Minute))
		return c
	}
	c := dial("script")
	io.WriteString(c, "VERSION\tscript\t4\t0\n-\nclassify\n\n"+long)
	c.CloseWrite()
	if got, err := io.ReadAll(c); !strings.HasSuffix(string(got), "+\n") || err != nil {
		t.Errorf("the script was answered by %q, %v", got, err)
	}
	c = dial("milter")
	header, body, _ := strings.Cut(long, "\r\n\r\n")
	sender, text, _ := strings.Cut(header, ": ")
	say := func(cmd byte, data string) (reply byte) { // every packet is one of its length, a byte and data
		c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data)+1)), append([]byte{cmd}, data...)...))
		got := make([]byte, 4)
		io.ReadFull(c, got)
		got = make([]byte, binary.BigEndian.Uint32(got))
		if _, err := io.ReadFull(c, got); err != nil {
			t.Fatal(err)
		}
		return got[0]
	}
	say('O', "\x00\x00\x00\x06\x00\x00\x01\xff\x00\x00\x00\x00")
	say('M', "<a@example.org>\x00")
	say('L', sender+"\x00"+text+"\x00")
	say('N', "")
	for len(body) > 0 {
		n := min(len(body), 60_000)
		say('B', body[:n])
		body = body[n:]
	}
	if got := say('E', ""); got != 'h' {
		t.Errorf("the milter did not add its field but answered %q", got)
	}
}
