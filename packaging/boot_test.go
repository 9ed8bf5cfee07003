package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A container is a Debian 12 in which systemd runs, without a network.
type container struct {
	t      *testing.T
	leader string // the process id of its systemd
}

// debian12 returns the folder of a Debian 12, that of POLYA_DEBIAN if it is set, with the packages
// that the pages install in the cache of apt.
func debian12(t *testing.T) string {
	t.Helper()
	root := os.Getenv("POLYA_DEBIAN")
	if root == "" {
		root = filepath.Join(scratch, "debian")
	}
	if _, err := os.Stat(root); err != nil {
		log, err := exec.Command("debootstrap", "--include=systemd-sysv,dbus,curl,ca-certificates", "bookworm", root).CombinedOutput()
		if err != nil {
			t.Skipf("NOT TRIED: a Debian that boots, since none can be fetched: %v\n%s", err, log)
		}
		run(t, "/", nil, "chroot", root, "sh", "-ec", "export DEBIAN_FRONTEND=noninteractive; apt-get update -q; apt-get install -qy --download-only postfix dovecot-imapd dovecot-lmtpd dovecot-sieve; apt-get install -qy --download-only --no-install-recommends spamc")
	}
	return root
}

// boot starts the container until the test ends. What it writes is gone then.
func boot(t *testing.T, root string, d dists) *container {
	t.Helper()
	name := fmt.Sprintf("polya%d", os.Getpid())
	cmd := exec.Command("systemd-nspawn", "--quiet", "--directory="+root, "--volatile=overlay", "--register=no", "--keep-unit", "--private-network",
		"--machine="+name, "--bind-ro="+d.here+":/dist", "--bind-ro="+d.later+":/later", "--boot")
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
		}
	})
	c := &container{t: t}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Skipf("NOT TRIED: a Debian that boots, since systemd-nspawn does not run here: %v\n%s", err, read(t, log.Name()))
		default:
		}
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
		if c.leader = strings.TrimSpace(string(children)); c.leader != "" && !strings.Contains(c.leader, " ") {
			if out, _ := c.try("systemctl is-system-running"); strings.HasPrefix(out, "running") || strings.HasPrefix(out, "degraded") {
				return c
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("it has not booted:\n%s", read(t, log.Name()))
		}
	}
}

// try runs commands of a shell in the container until one fails.
func (c *container) try(commands string) (string, error) {
	out, err := exec.Command("nsenter", "-t", c.leader, "-m", "-u", "-i", "-n", "-p", "--", "env", "-i", "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "sh", "-ec", "cd\n"+commands).CombinedOutput()
	return string(out), err
}

// sh runs commands that must not fail.
func (c *container) sh(commands string) string {
	c.t.Helper()
	out, err := c.try(commands)
	if err != nil {
		log, _ := c.try("journalctl -n 400 --no-pager | grep -v imap | tail -40")
		c.t.Fatalf("%s\n%v: %s\n%s", commands, err, out, log)
	}
	return out
}

// fails runs commands of which the last must fail and say why.
func (c *container) fails(commands, why string) {
	c.t.Helper()
	if out, err := c.try(commands); err == nil || !strings.Contains(out, why) {
		c.t.Errorf("%s: %v, %s; want %q", commands, err, out, why)
	}
}

// until waits for a command to print what matches.
func (c *container) until(commands, pattern string) {
	c.t.Helper()
	out := ""
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if out, _ = c.try(commands); regexp.MustCompile(pattern).MatchString(out) {
			return
		}
	}
	log, _ := c.try("journalctl -n 400 --no-pager | grep -v imap | tail -40")
	c.t.Fatalf("%s prints\n%s\nand not %s\n%s", commands, out, pattern, log)
}

// page runs the blocks of commands of a page of docs, as they stand there.
func (c *container) page(name string) (all string) {
	c.t.Helper()
	blocks := regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$").FindAllStringSubmatch(string(read(c.t, "../docs/"+name)), -1)
	if len(blocks) == 0 {
		c.t.Fatalf("%s has no commands", name)
	}
	for _, block := range blocks {
		all += regexp.MustCompile("(?m)^   ").ReplaceAllString(block[1], "")
	}
	c.sh(all)
	return all
}

// send has a message come in by SMTP.
func (c *container) send(message string) {
	c.t.Helper()
	c.sh("cat >message <<'END'\n" + message + "\nEND\ncurl -sS smtp://localhost --mail-from a@example.org --mail-rcpt alice@localhost --upload-file message --crlf")
}

// TestBooted follows the pages in a Debian that boots, from nothing to mail that is filtered and
// learned.
func TestBooted(t *testing.T) {
	needs(t, "systemd-nspawn", "debootstrap", "nsenter")
	if os.Geteuid() != 0 {
		t.Skip("NOT TRIED: a Debian that boots, which only root can start")
	}
	c := boot(t, debian12(t), builds(t))
	c.sh("mkdir -p mail/spam mail/ham; cp /dist/polya_*.deb .")
	folders, _ := filepath.Glob("../testdata/mail/train/*")
	for _, folder := range folders {
		class := "ham"
		if filepath.Base(folder) == "spam" {
			class = "spam"
		}
		c.sh("cat >mail/" + class + "/" + filepath.Base(folder) + ".mbox <<'END'\n" + mbox(t, folder) + "END\n")
	}
	spam, ham := string(read(t, "../testdata/mail/held/spam/003.eml")), string(read(t, "../testdata/mail/held/travel/001.eml"))
	c.filters(spam)
	c.learns(spam, ham)
	c.neverSpam(spam)
	c.page("spamc.md")
	c.sh("cat >message <<'END'\n" + spam + "\nEND\nspamc <message | grep -qx 'X-Spam-Flag: YES'; spamc -L ham <message")
	c.refuses(ham)
	c.signsIn()
	c.reinstalled()
	c.rootIsNoUser()
	c.fleet()
	// A Debian without systemd gets the user, too.
	c.sh("systemctl stop polya-spool; userdel polya; mv /usr/bin/systemd-sysusers .; /var/lib/dpkg/info/polya.postinst configure; id polya")
}

// filters holds that six commands lead to mail that is filtered, and that nobody forges the field.
func (c *container) filters(spam string) {
	t := c.t
	if six := c.page("install.md"); strings.Count(six, "\n") != 6 {
		t.Errorf("these are not six commands:\n%s", six)
	}
	if owner := c.sh("stat -c %U:%a /var/lib/polya/mail.polya"); owner != "polya:600\n" {
		t.Errorf("what root has trained is %s", owner)
	}
	c.sh("useradd -m alice; echo alice:secret | chpasswd")
	c.send("X-Polya-Class: ham; probability=1.0000\n" + spam)
	c.until("cat /var/mail/alice", `(?m)^X-Polya-Class: spam; probability=`)
	if box := c.sh("cat /var/mail/alice"); strings.Contains(box, "probability=1.0000") {
		t.Errorf("a forged field was delivered:\n%s", box)
	}
}

// count is a command that prints how many messages a folder of Alice has.
func count(folder string) string { return imap("", "STATUS "+folder+" (MESSAGES)") + " -v" }

// imap is a command that gives one of IMAP as Alice.
func imap(folder, command string) string {
	return "curl -sS -u alice:secret imap://localhost/" + folder + " -X '" + command + "'"
}

// learns holds that Dovecot files by what polya answers, and that what a user moves is learned, also
// if the daemon is stopped meanwhile: he does not wait for it.
func (c *container) learns(spam, ham string) {
	c.page("dovecot.md")
	c.send(spam)
	c.send(ham)
	c.until(imap("Junk", "FETCH 1 BODY.PEEK[HEADER.FIELDS (X-Polya-Class)]")+" -v", `X-Polya-Class: spam`)
	c.until(imap("INBOX", "FETCH 2 BODY.PEEK[HEADER.FIELDS (X-Polya-Class)]")+" -v", `X-Polya-Class: ham; probability=`)
	learned := `curl -sS --unix-socket /run/polya/http.sock 'http://polya/v1/ledger?source=dovecot' | grep -o '"source":"dovecot"' | wc -l`
	c.sh(imap("INBOX", "MOVE 2 Junk"))
	c.until(learned, `^1\n`)
	for i := range 3 {
		c.send(strings.Replace(ham, "\n\n", fmt.Sprintf("\n\nNumber %d.\n", i), 1))
	}
	c.until(count("INBOX"), `MESSAGES 4`)
	c.sh("systemctl stop polya")
	for range 3 {
		c.sh(imap("INBOX", "MOVE * Junk"))
	}
	if waiting := c.sh("ls /var/lib/polya/mail.polya.spool | wc -l"); waiting != "3\n" {
		c.t.Errorf("%s of three messages wait to be learned", waiting)
	}
	c.sh("systemctl start polya")
	c.until(learned, `^4\n`)
}

// neverSpam holds that senders in deliver.sieve are not asked about, if it is they.
func (c *container) neverSpam(spam string) {
	c.sh(`cd /etc/dovecot/polya; sed -i 's/^#\(if\|  stop\|}\)/\1/' deliver.sieve; sievec deliver.sieve`)
	c.send("Authentication-Results: mail.example.org; dmarc=pass (p=none dis=none) header.from=example.com\n" + spam)
	c.until(count("INBOX"), `MESSAGES 2`)
	c.send("Authentication-Results: mail.example.org; dmarc=pass (p=none dis=none) header.from=example.com.example.edu\n" + spam)
	c.until(count("Junk"), `MESSAGES 6`)
}

const toml = "/etc/polya/polya.toml"

// refuses holds that what would not do under the unit is said before it is tried, and that a reload
// with it is refused.
func (c *container) refuses(ham string) {
	c.sh("cp " + toml + " right.toml; printf '[[rspamd]]\\naddress = \"/run/polya/rspamd.sock\"\\ngroup = \"polya\"\\n' >>" + toml + "; systemctl reload polya")
	c.until("stat -c %G:%a /run/polya/rspamd.sock", "polya:660")
	for wrong, why := range map[string]string{"nonsense = 1": "nonsense", `address = "/var/spool/postfix/other.sock"`: "read-only file system",
		"address = \"/run/polya/r.sock\"\ngroup = \"mail\"": "may not give a socket to the group mail"} {
		c.sh("cp right.toml " + toml + "; printf '[[rspamd]]\\n%s\\n' '" + wrong + "' >>" + toml)
		c.fails("polyad serve --check "+toml, why)
		c.fails("systemctl reload polya", "failed")
		c.sh("systemctl is-active polya; spamc -K")
	}

	// A daemon that cannot start takes no socket of systemd with it, and mail passes.
	c.sh("systemctl restart polya || true")
	c.send(strings.Replace(ham, "\n\n", "\n\nWithout a daemon.\n", 1))
	c.until(count("INBOX"), `MESSAGES 3`)
	c.sh("systemctl is-active polya-milter.socket; cp right.toml " + toml + "; systemctl restart polya; polyad serve --check " + toml)
}

// signsIn holds that a person signs in by the link that is printed, with the configuration that
// the page about it has.
func (c *container) signsIn() {
	c.sh("cp /usr/share/doc/polya/docs/page/polya.toml " + toml + "; rm /var/lib/polya/token; systemctl restart polya")
	link := regexp.MustCompile(`http://127\.0\.0\.1:8025/sign-in#(\S+)`).FindStringSubmatch(c.sh("polyad serve --init " + toml))
	if link == nil {
		c.t.Fatal("--init prints no link to sign in")
	}
	c.sh("curl -fsS -H 'Authorization: Bearer " + link[1] + "' http://127.0.0.1:8025/v1/classes")
	c.sh("cp right.toml " + toml + "; systemctl restart polya")
}

// reinstalled holds that an upgrade starts a running daemon anew, and that what was learned
// outlives a purge.
func (c *container) reinstalled() {
	const ask = "; curl -fsS --unix-socket /run/polya/http.sock http://polya/v1/statistics"
	const learned = ask + ` | grep -o '"documents":.*'`
	before := c.sh("systemctl is-active -q polya" + learned)
	upgraded := c.sh("dpkg -i /later/polya_*.deb >log; polya version | grep -q " + laterVersion + "; systemctl is-active -q polya" + ask + " | grep -q " + laterVersion + learned)
	c.sh("apt-get purge -y polya; ! systemctl is-active polya; [ ! -e /etc/polya ]; systemctl restart postfix")
	c.send("Subject: The package is gone\n\nPostfix takes mail all the same.")
	again := c.sh(`{ dpkg -i /dist/polya_*.deb; ! systemctl is-active polya; cp right.toml ` + toml + "; systemctl start polya; } >log" + learned)
	if upgraded != before || again != before {
		c.t.Errorf("before it had\n%s\nafter an upgrade\n%s\nand after a purge\n%s", before, upgraded, again)
	}
}

// rootIsNoUser holds that root's spamc does not teach a database of its own.
func (c *container) rootIsNoUser() {
	c.sh("sed 's|^\\[users\\]|&\\npath = \"users/%u.polya\"\\npattern = \"[a-z]+\"|' right.toml >" + toml + "; sed -i 's|\"users/|\"/var/lib/polya/users/|' " + toml + "; systemctl reload polya")
	c.until("su alice -c 'spamc -L spam' <message; ls /var/lib/polya/users", `alice\.polya`)
	c.fails("spamc -L spam <message || { echo code $?; journalctl -u polya; false; }", `code=67 error="no such user"`)
	c.fails("ls /var/lib/polya/users/root.polya", "No such file")
}

// fleet holds that a node of a fleet runs by its unit, in place of the daemon, and that an upgrade starts it anew
// and a removal ends it.
func (c *container) fleet() {
	c.sh("cp right.toml " + toml + "; dpkg -i /dist/polya-fleet_*.deb; polya-fleet node --init /etc/polya/fleet.toml")
	c.sh(`sed -i 's|^nodes = .*|nodes = ["a"]|; s|^cluster.*||; s|^routes.*|store = "/var/lib/polya/log"|' /etc/polya/fleet.toml; sed -i '/^.access.$/,$d' /etc/polya/fleet.toml
printf '[access]\ntoken-file = "/var/lib/polya/token"\n' >>/etc/polya/fleet.toml
polya-fleet version | grep -x 'polya-fleet [0-9.]* [0-9a-z-]*, file format .*'; polya-fleet node --check /etc/polya/fleet.toml
systemctl start polya-fleet; polya-fleet node --check /etc/polya/fleet.toml; polya-fleet reseed /etc/polya/fleet.toml; systemctl reload polya-fleet`)
	c.until("polya-fleet status /etc/polya/fleet.toml", `a +following`)
	c.fails("systemctl is-active polya", "inactive")
	c.sh(`systemctl enable polya-fleet; before=$(systemctl show -p MainPID polya-fleet); dpkg -i /dist/polya-fleet_*.deb
[ "$before" != "$(systemctl show -p MainPID polya-fleet)" ]; systemctl is-active polya-fleet; dpkg -r polya-fleet`)
	c.fails("systemctl is-active polya-fleet", "inactive")
	c.fails("ls /etc/systemd/system/multi-user.target.wants/polya-fleet.service", "No such file")
}

// mbox returns the messages of a folder as one file.
func mbox(t *testing.T, folder string) (all string) {
	t.Helper()
	files, _ := filepath.Glob(folder + "/*")
	for _, file := range files {
		all += "From a@example.org Thu Jan  1 00:00:00 2026\n" + regexp.MustCompile("(?m)^From ").ReplaceAllString(string(read(t, file)), ">From ") + "\n"
	}
	return all
}
