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

// masterCF are its ports, of which the second one's messages are not cleaned of forged fields by Postfix.
const masterCF = `
127.0.0.1:PORT  inet  n - y - 20 smtpd
127.0.0.1:BARE  inet  n - y - 20 smtpd -o cleanup_service_name=bare
bare      unix  n - y - 0 cleanup -o header_checks=
#smtp      inet`

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
	docs = append(docs, "/etc/postfix/", etc)
	Write(t, etc+"main.cf", strings.ReplaceAll(mainCF, "DIR", p.Dir)+Page(t, page+"main.cf", docs...))
	Write(t, etc+"polya_header_checks", Page(t, page+"polya_header_checks"))
	services := strings.TrimSpace(Run(t, "postconf", "-h", "meta_directory")) + "/master.cf.proto" // as Postfix comes
	Write(t, etc+"master.cf", Page(t, services, "\nsmtp      inet", strings.NewReplacer("PORT", p.Port, "BARE", p.Bare).Replace(masterCF)))

	master(t, p.Dir+"/log", func(*os.Process) { exec.Command("postfix", "-c", etc, "stop").Run() }, "postfix", "-c", etc, "start-fg")
	for _, port := range []string{p.Port, p.Bare} {
		Until(t, "Postfix", func() bool { return Listening("tcp", "127.0.0.1:"+port) })
	}
	return p
}
