//go:build unix

package servetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mainCF is a mail server that delivers all mail for example.test into one Maildir.
// Polya's part follows: docs/postfix/main.cf.
const mainCF = `compatibility_level = 3.6
queue_directory = DIR/spool
data_directory = DIR/data
maillog_file = DIR/log
maillog_file_prefixes = DIR
myhostname = mail.example.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_client_connection_count_limit = 0
smtpd_peername_lookup = no
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = example.test
virtual_mailbox_base = DIR/box
virtual_mailbox_maps = static:user/
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_minimum_uid = 1
enable_long_queue_ids = yes
`

// masterCF has a second port whose messages are not cleaned of forged fields by Postfix.
const masterCF = `
127.0.0.1:PORT  inet  n - y - 20 smtpd
127.0.0.1:BARE  inet  n - y - 20 smtpd -o cleanup_service_name=bare
bare      unix  n - y - 0 cleanup -o header_checks=
cleanup   unix  n - y - 0 cleanup
pickup    unix  n - y 60 1 pickup
qmgr      unix  n - n 300 1 qmgr
rewrite   unix  - - y - - trivial-rewrite
bounce    unix  - - y - 0 bounce
defer     unix  - - y - 0 bounce
trace     unix  - - y - 0 bounce
verify    unix  - - y - 1 verify
flush     unix  n - y 1000? 0 flush
proxymap  unix  - - n - - proxymap
smtp      unix  - - y - - smtp
error     unix  - - y - - error
retry     unix  - - y - - error
discard   unix  - - y - - discard
virtual   unix  - n n - 20 virtual
showq     unix  n - y - - showq
anvil     unix  - - y - 1 anvil
scache    unix  - - y - 1 scache
tlsmgr    unix  - - y 1000? 1 tlsmgr
postlog   unix-dgram n - n - 1 postlogd
`

// A Postfix runs for a test, configured as in docs/postfix, and delivers into the Maildir box/user of Dir.
// Header_checks do not apply to mail that comes to the port Bare.
type Postfix struct {
	Dir        string
	Port, Bare string
	Socket     string // of the filter that it asks
}

// StartPostfix starts one until the test ends. In main.cf of docs strings are replaced,
// given as pairs of old and new.
func StartPostfix(t testing.TB, docs ...string) *Postfix {
	t.Helper()
	Need(t, "postfix", "swaks", "smtp-source")
	p := &Postfix{Dir: Dir(t), Port: Port(t), Bare: Port(t)}
	Chown(t, "postfix", p.Dir+"/data")
	Chown(t, "nobody", p.Dir+"/box")
	p.Socket = p.Dir + "/spool/polya/milter.sock"
	if err := os.MkdirAll(filepath.Dir(p.Socket), 0o755); err != nil {
		t.Fatal(err)
	}
	const page = "../../docs/postfix/"
	etc := p.Dir + "/etc/"
	docs = append(docs, "/etc/polya/", etc)
	Write(t, etc+"main.cf", strings.ReplaceAll(mainCF, "DIR", p.Dir)+Page(t, page+"main.cf", docs...))
	Write(t, etc+"polya_header_checks", Page(t, page+"polya_header_checks"))
	Write(t, etc+"master.cf", strings.NewReplacer("PORT", p.Port, "BARE", p.Bare).Replace(masterCF))

	master(t, p.Dir+"/log", func(*os.Process) { exec.Command("postfix", "-c", etc, "stop").Run() }, "postfix", "-c", etc, "start-fg")
	for _, port := range []string{p.Port, p.Bare} {
		Until(t, "Postfix", func() bool { return Listening("tcp", "127.0.0.1:"+port) })
	}
	return p
}
