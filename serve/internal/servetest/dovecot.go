//go:build unix

package servetest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// dovecotConf is a Dovecot with IMAP and LMTP, whose users exist when they are asked for.
// Polya's part follows: docs/dovecot/90-polya.conf.
const dovecotConf = `base_dir = DIR/run/dovecot
state_dir = DIR/state
log_path = DIR/log
protocols = imap lmtp
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=nobody gid=nogroup home=DIR/home/%n allow_all_users=yes
}
namespace inbox {
  inbox = yes
  mailbox Junk {
    special_use = \Junk
    auto = subscribe
  }
  mailbox Trash {
    special_use = \Trash
    auto = subscribe
  }
  mailbox Archive {
    auto = subscribe
  }
}
service imap-login {
  inet_listener imap {
    port = IMAP
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    port = LMTP
  }
}
`

// dovecot24 replaces what is different in Dovecot 2.4.
var dovecot24 = strings.NewReplacer("base_dir =", "dovecot_config_version = 2.4.0\ndovecot_storage_version = 2.4.0\nbase_dir =",
	"disable_plaintext_auth = no", "auth_allow_cleartext = yes",
	"mail_location = maildir:~/Maildir", "mail_driver = maildir\nmail_path = ~/Maildir",
	"passdb {\n  driver = static\n  args = nopassword=y\n}", "passdb static {\n  password = x\n}",
	"userdb {\n  driver = static\n  args = uid=nobody gid=nogroup home=DIR/home/%n allow_all_users=yes\n}",
	"userdb static {\n  fields {\n    uid = nobody\n    gid = nogroup\n    home = DIR/home/%{user|username}\n  }\n  allow_all_users = yes\n}")

// A Dovecot runs for a test, configured as in docs/dovecot.
type Dovecot struct {
	Dir        string
	IMAP, LMTP string // addresses
	Socket     string // that its scripts ask
}

// StartDovecot starts one until the test ends.
func StartDovecot(t testing.TB) *Dovecot {
	t.Helper()
	Need(t, "dovecot", "sievec", "/usr/lib/dovecot/imap", "/usr/lib/dovecot/lmtp")
	d := &Dovecot{Dir: Dir(t), IMAP: Port(t), LMTP: Port(t)}
	for _, name := range []string{"run/polya", "state"} {
		if err := os.MkdirAll(filepath.Join(d.Dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	Chown(t, "nobody", d.Dir+"/home")
	d.Socket = d.Dir + "/run/polya/dovecot"
	if err := os.Symlink("dovecot", d.Dir+"/run/polya/learn"); err != nil { // one process does both here
		t.Fatal(err)
	}

	const page = "../../docs/dovecot/"
	conf, polya := dovecotConf, "90-polya.conf"
	if !strings.HasPrefix(Run(t, "dovecot", "--version"), "2.3") {
		conf, polya = dovecot24.Replace(conf), "90-polya-2.4.conf"
	}
	file := d.Dir + "/etc/dovecot.conf"
	Write(t, file, strings.NewReplacer("DIR", d.Dir, "IMAP", d.IMAP, "LMTP", d.LMTP).Replace(conf)+
		Page(t, page+polya, "/etc/dovecot", d.Dir+"/etc", "mail_access_groups = polya\n", ""))
	for _, name := range []string{"deliver", "learn-spam", "learn-ham", "learn-flag"} {
		name = "polya/" + name + ".sieve"
		Write(t, d.Dir+"/etc/"+name, Page(t, page+filepath.Base(name)))
		Run(t, "sievec", "-c", file, d.Dir+"/etc/"+name)
	}
	d.IMAP, d.LMTP = "127.0.0.1:"+d.IMAP, "127.0.0.1:"+d.LMTP

	master(t, d.Dir+"/log", func(p *os.Process) { p.Signal(syscall.SIGTERM) }, "dovecot", "-F", "-c", file)
	for _, address := range []string{d.IMAP, d.LMTP} {
		Until(t, "Dovecot", func() bool { return Listening("tcp", address) })
	}
	return d
}
