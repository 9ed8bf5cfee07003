package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
)

// dovecotConf is a Dovecot with IMAP alone, in the clear and over TLS.
const dovecotConf = `base_dir = DIR/run
state_dir = DIR/state
log_path = DIR/log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <DIR/cert.pem
ssl_key = <DIR/key.pem
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=DIR/home/%n allow_all_users=yes
}
namespace inbox {
  inbox = yes
}
service imap-login {
  inet_listener imap {
    port = PLAIN
  }
  inet_listener imaps {
    port = TLS
  }
}
`

// dovecot24 has what Dovecot 2.4 says otherwise.
var dovecot24 = strings.NewReplacer("base_dir =", "dovecot_config_version = 2.4.0\ndovecot_storage_version = 2.4.0\nbase_dir =",
	"ssl_cert = <", "ssl_server_cert_file = ", "ssl_key = <", "ssl_server_key_file = ",
	"disable_plaintext_auth = no", "auth_allow_cleartext = yes",
	"mail_location = maildir:~/Maildir", "mail_driver = maildir\nmail_path = ~/Maildir",
	"passdb {\n  driver = static\n  args = password=secret\n}", "passdb static {\n  password = secret\n}",
	"userdb {\n  driver = static\n  args = uid=nobody gid=nogroup home=DIR/home/%n allow_all_users=yes\n}",
	"userdb static {\n  fields {\n    uid = nobody\n    gid = nogroup\n    home = DIR/home/%{user|username}\n  }\n  allow_all_users = yes\n}")

// dovecot runs until the test ends.
type dovecot struct {
	dir, plain, tls string // a folder, and ports of 127.0.0.1
}

// startDovecot starts a server; replace changes its configuration, as strings.NewReplacer does.
func startDovecot(t *testing.T, replace ...string) *dovecot {
	t.Helper()
	for _, program := range []string{"dovecot", "/usr/lib/dovecot/imap"} {
		if _, err := exec.LookPath(program); err != nil || os.Geteuid() != 0 {
			if os.Getenv("CI") != "" {
				t.Fatalf("want root, and Dovecot: %v", err)
			}
			t.Skipf("only root can start a mail server, and Dovecot must be installed: %v", err)
		}
	}
	d := &dovecot{cmdtest.ShortDir(t), freePort(t), freePort(t)}
	if err := os.Chmod(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run", "state", "home"} {
		if err := os.Mkdir(filepath.Join(d.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("chown", "nobody", d.dir+"/home").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	certificate(t, d.dir)
	conf := dovecotConf
	if out, err := exec.Command("dovecot", "--version").Output(); err != nil || !strings.HasPrefix(string(out), "2.3") {
		if len(replace) > 0 {
			t.Skip("what is replaced is the configuration of Dovecot 2.3")
		}
		conf = dovecot24.Replace(conf)
	}
	file := filepath.Join(d.dir, "dovecot.conf")
	if err := os.WriteFile(file, []byte(strings.NewReplacer("DIR", d.dir, "PLAIN", d.plain, "TLS", d.tls).Replace(strings.NewReplacer(replace...).Replace(conf))), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("dovecot", "-F", "-c", file)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGQUIT) // with SIGTERM it waits a second for its processes
		cmd.Wait()
		if said, _ := os.ReadFile(d.dir + "/log"); t.Failed() {
			t.Logf("the log of Dovecot:\n%s", said[max(0, len(said)-3000):])
		}
	})
	cmdtest.WaitUntil(t, func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+d.plain)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return d
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// certificate makes one for 127.0.0.1 that nobody but a test trusts.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert": {Type: "CERTIFICATE", Bytes: cert}, "key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name+".pem"), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// network passes connections on to a server, until it drops them.
type network struct {
	port string
	mu   sync.Mutex
	open map[net.Conn]bool
}

func newNetwork(t *testing.T, server string) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := &network{open: map[net.Conn]bool{}}
	_, n.port, _ = net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", "127.0.0.1:"+server)
			if err != nil {
				c.Close()
				continue
			}
			n.mu.Lock()
			n.open[c], n.open[to] = true, true
			n.mu.Unlock()
			for from, to := range map[net.Conn]net.Conn{c: to, to: c} {
				go func() {
					_, _ = io.Copy(to, from)
					to.Close()
					from.Close()
				}()
			}
		}
	}()
	return n
}

// drop ends all connections.
func (n *network) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.open {
		c.Close()
		delete(n.open, c)
	}
}
