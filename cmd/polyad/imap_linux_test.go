package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// imapBox is a mailbox on a server, used as a mail program does.
type imapBox struct {
	folders
	t    *testing.T
	c    *imapclient.Client
	ids  map[string]count.DocID // by Message-ID
	n    int
	away string // the folder that has another name
}

func newIMAPBox(t *testing.T, d *dovecot) *imapBox {
	t.Helper()
	b := newClient(t, d)
	for _, name := range []string{"Work", "Travel", "Junk", "Invoices", "Trash"} {
		if err := b.c.Create(name, nil).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func newClient(t *testing.T, d *dovecot) *imapBox {
	t.Helper()
	c, err := imapclient.DialInsecure("127.0.0.1:"+d.plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Login("alice", "secret").Wait(); err != nil {
		t.Fatal(err)
	}
	return &imapBox{folders: folderClasses, t: t, c: c, ids: map[string]count.DocID{}}
}

func (b *imapBox) folder(name string) string {
	if name == "" {
		return "INBOX"
	}
	return name
}

func (b *imapBox) deliver(folder string, message []byte, read bool) {
	id, own := mail.Identity(message)
	b.ids[own] = id
	o := &imap.AppendOptions{}
	if read {
		o.Flags = []imap.Flag{imap.FlagSeen}
	}
	cmd := b.c.Append(b.folder(folder), int64(len(message)), o)
	if _, err := cmd.Write(message); err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Close(); err != nil {
		b.t.Fatal(err)
	}
	if _, err := cmd.Wait(); err != nil {
		b.t.Fatal(err)
	}
}

func (b *imapBox) lying() (all []lying) {
	section := &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader, HeaderFields: []string{"Message-ID"}, Peek: true}
	for _, name := range []string{"", "Work", "Travel", "Junk", "Invoices", "Trash"} {
		if name != "" && name == b.away {
			continue
		}
		data, err := b.c.Select(b.folder(name), nil).Wait()
		if err != nil {
			b.t.Fatal(err)
		}
		if data.NumMessages == 0 {
			continue
		}
		list, err := b.c.Fetch(imap.SeqSet{{Start: 1, Stop: 0}}, &imap.FetchOptions{UID: true, Flags: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect()
		if err != nil {
			b.t.Fatal(err)
		}
		for _, m := range list {
			_, own := mail.Identity(m.FindBodySection(section))
			id, known := b.ids[own]
			if !known {
				b.t.Fatalf("what is UID %d in %q?", m.UID, name)
			}
			l := lying{folder: name, key: strconv.Itoa(int(m.UID)), id: id}
			deleted := false
			for _, f := range m.Flags {
				l.isRead = l.isRead || f == imap.FlagSeen
				deleted = deleted || f == imap.FlagDeleted
			}
			if !deleted {
				all = append(all, l)
			}
		}
	}
	return all
}

func (b *imapBox) at(l lying) imap.UIDSet {
	if _, err := b.c.Select(b.folder(l.folder), nil).Wait(); err != nil {
		b.t.Fatal(err)
	}
	uid, _ := strconv.Atoi(l.key)
	return imap.UIDSetNum(imap.UID(uid))
}

// move moves a message by MOVE or, as older programs do, by copying and removing it.
func (b *imapBox) move(l lying, to string) bool {
	uid := b.at(l)
	if b.n++; b.n%2 == 0 {
		data, err := b.c.Move(uid, b.folder(to)).Wait()
		if err != nil {
			b.t.Fatal(err)
		}
		return data.DestUIDs != nil
	}
	data, err := b.c.Copy(uid, b.folder(to)).Wait()
	if err != nil {
		b.t.Fatal(err)
	}
	b.flag(uid, imap.FlagDeleted)
	if err := b.c.UIDExpunge(uid).Close(); err != nil {
		b.t.Fatal(err)
	}
	return data.DestUIDs != nil
}

func (b *imapBox) flag(uid imap.UIDSet, f imap.Flag) {
	if err := b.c.Store(uid, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{f}}, nil).Close(); err != nil {
		b.t.Fatal(err)
	}
}

func (b *imapBox) remove(l lying) bool {
	uid := b.at(l)
	b.flag(uid, imap.FlagDeleted)
	gone, err := b.c.UIDExpunge(uid).Collect()
	if err != nil {
		b.t.Fatal(err)
	}
	return len(gone) > 0
}

func (b *imapBox) rename(from, to string) bool {
	if _, err := b.c.Select("INBOX", nil).Wait(); err != nil {
		b.t.Fatal(err)
	}
	if err := b.c.Rename(from, to, nil).Wait(); err != nil {
		b.t.Fatal(err)
	}
	b.away = from
	if to != "Elsewhere" {
		b.away = ""
	}
	return true
}

func (b *imapBox) read(l lying) { b.flag(b.at(l), imap.FlagSeen) }

// imapSettings writes the settings of the page, for a server on this machine. Its
// password is what a program prints.
func imapSettings(t *testing.T, dir, port string, replace ...string) (path string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/mailboxes/imap.toml")
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret\nnot this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	replace = append(replace, `"imap.example.org"`, fmt.Sprintf("\"127.0.0.1\"\nport = %s", port), `["pass", "show", "mail/alice"]`, fmt.Sprintf("[\"cat\", %q]", secret))
	path = filepath.Join(dir, "imap.toml")
	if err := os.WriteFile(path, []byte("interval = \"1s\"\n"+strings.NewReplacer(replace...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const inTheClear, trusting = "password-command", "security = \"none\"\npassword-command"

// A user moves 120 messages at random, the watcher is killed and its connection lost again and
// again, and no message is lost, doubled, or learned as what he has not said.
func TestIMAPWatch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	d := startDovecot(t)
	box := newIMAPBox(t, d)
	dir := t.TempDir()
	n := newNetwork(t, d.plain)
	settings := imapSettings(t, dir, n.port, inTheClear, trusting)
	o := newOwner(t, box, 2)
	database := filepath.Join(dir, "mail.polya")
	o.other = func() {
		if o.r.IntN(12) == 0 {
			n.drop()
		}
	}
	watchAtRandom(t, o, database, "watch", settings)

	// The server gives messages other names.
	before, validity := ledgerOf(t, database), box.validity("Work")
	for _, folder := range []string{".", ".Work", ".Junk"} {
		names, _ := filepath.Glob(filepath.Join(d.dir, "home/alice/Maildir", folder, "dovecot*"))
		for _, name := range names {
			if b := filepath.Base(name); strings.HasPrefix(b, "dovecot.index") || b == "dovecot-uidlist" {
				os.Remove(name)
			}
		}
	}
	box.c.Close()
	runOnce(t, "polyad", "watch", "--once", settings, "--db", database)
	if after := ledgerOf(t, database); after != before {
		t.Error("with other names of messages something else is learned")
	}
	if validity == newClient(t, d).validity("Work") {
		t.Error("the messages have their old names")
	}
}

func (b *imapBox) validity(folder string) uint32 {
	data, err := b.c.Status(folder, &imap.StatusOptions{UIDValidity: true}).Wait()
	if err != nil {
		b.t.Fatal(err)
	}
	return data.UIDValidity
}

// Over TLS nothing is said to a server whose certificate nobody trusts, nor to one that has no
// STARTTLS.
func TestIMAPWatchTLS(t *testing.T) {
	t.Parallel()
	d := startDovecot(t)
	box := newIMAPBox(t, d)
	box.deliver("Work", sampleMail(t, "held", "work")[0], true)
	ca := fmt.Sprintf("certificate-authority = %q\n", filepath.Join(d.dir, "cert.pem"))
	for _, c := range []struct{ port, add, wrong string }{
		{d.tls, ca, ""}, {d.plain, ca + "security = \"starttls\"\n", ""}, {d.plain, trusting, ""},
		{d.tls, "", "certificate"}, {d.plain, "security = \"starttls\"\n", "certificate"}, {d.plain, ca, "first record does not look like a TLS handshake"},
	} {
		dir := t.TempDir()
		settings := imapSettings(t, dir, c.port, inTheClear, strings.TrimSuffix(c.add, inTheClear)+inTheClear)
		out, err := exec.Command("polyad", "watch", "--once", "--db", filepath.Join(dir, "x.polya"), settings).CombinedOutput()
		if (err == nil) != (c.wrong == "") || c.wrong == "" && !strings.Contains(string(out), "learned 1 as work") || !strings.Contains(string(out), c.wrong) {
			t.Errorf("port %s, %q: %s", c.port, c.add, out)
		}
	}
}

// With a token of OAuth, which the server asks another about, the mailbox is watched; a token that
// is no longer good is asked for anew.
func TestIMAPWatchOAuth(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"OAUTHBEARER", "XOAUTH2"} {
		good, asked := atomic.Value{}, atomic.Int32{}
		good.Store("secret")
		issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			fmt.Fprintf(w, `{"active":%t,"username":"alice"}`, r.URL.Query().Get("token") == good.Load())
		}))
		t.Cleanup(issuer.Close)
		about := filepath.Join(t.TempDir(), "oauth2")
		text := fmt.Sprintf("introspection_mode = get\nintrospection_url = %s/?token=\nusername_attribute = username\nactive_attribute = active\nactive_value = true\n", issuer.URL)
		if err := os.WriteFile(about, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d := startDovecot(t, "passdb {", fmt.Sprintf("auth_mechanisms = plain %s\npassdb {\n  driver = oauth2\n  mechanisms = %[1]s\n  args = %s\n}\npassdb {\n  mechanisms = plain", strings.ToLower(mechanism), about))
		box := newIMAPBox(t, d)
		box.deliver("Work", sampleMail(t, "held", "work")[0], true)
		dir := t.TempDir()
		settings := imapSettings(t, dir, d.plain, "password-command", "security = \"none\"\ntoken-command")
		database := filepath.Join(dir, "x.polya")
		if out := runOnce(t, "polyad", "watch", "--once", "--db", database, settings); !strings.Contains(out, "learned 1 as work") || asked.Load() == 0 {
			t.Errorf("%s: %s", mechanism, out)
		}
		good.Store("another")
		out, err := exec.Command("polyad", "watch", "--once", "--db", database, settings).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "127.0.0.1:"+d.plain+": ") || strings.Contains(string(out), "secret") {
			t.Errorf("%s, a token that is no longer good: %s", mechanism, out)
		}
		if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("another\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		runOnce(t, "polyad", "watch", "--once", "--db", database, settings)
	}
}

// Mail for a folder that has another name stays where it is, which is said, and is filed when the
// folder has its name again.
func TestWatchFolderAway(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	d := startDovecot(t)
	dir := t.TempDir()
	root := filepath.Join(dir, "Maildir")
	server := imapSettings(t, dir, d.plain, inTheClear, trusting)
	for settings, box := range map[string]mailbox{server: newIMAPBox(t, d), maildirSettings(t, dir, root): newMaildir(t, root)} {
		o := newOwner(t, box, 7)
		args := []string{"watch", "--once", settings, "--db", settings + ".polya"}
		runOnce(t, "polyad", args...)
		box.rename("Work", "Elsewhere")
		for _, m := range sampleMail(t, "held", "work") {
			o.paths[mail.ID(m)] = &history{}
			box.deliver("", m, false)
		}
		for range 2 {
			if out := runOnce(t, "polyad", args...); strings.Count(out, "Work: there is no folder of that name") != 1 || strings.Contains(out, "filed for Work") {
				t.Errorf("%s: %s", settings, out)
			}
		}
		box.rename("Elsewhere", "Work")
		travel := filepath.Join(d.dir, "home/alice/Maildir/.Travel") // the server is not root
		if err := os.Chmod(travel, 0); err != nil {
			t.Fatal(err)
		}
		if out := runOnce(t, "polyad", args...); strings.Count(out, "filed for .Work")+strings.Count(out, "filed for Work") < 3 ||
			settings == server && strings.Count(out, "Travel: mail for this folder stays in the inbox and is tried again") != 1 {
			t.Errorf("%s: %s", settings, out)
		}
		if err := os.Chmod(travel, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// The keywords of suggestions are on mail in the inbox, and off what somebody has moved from there,
// into a folder with a rule or into the one that the server says is for trash.
func TestIMAPUnsuggest(t *testing.T) {
	t.Parallel()
	d := startDovecot(t, "  inbox = yes\n", "  inbox = yes\n  mailbox Papierkorb {\n    special_use = \\Trash\n    auto = create\n  }\n")
	box := newIMAPBox(t, d)
	dir := t.TempDir()
	settings := imapSettings(t, dir, d.plain, inTheClear, trusting)
	args := []string{"watch", "--once", settings, "--db", settings + ".polya"}
	runOnce(t, "polyad", args...)
	for i, m := range sampleMail(t, "held", "work")[:3] {
		box.deliver("", m, false)
		if _, err := box.c.Select("INBOX", nil).Wait(); err != nil {
			t.Fatal(err)
		}
		marks := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{"$PolyaSuggests-Work", "$PolyaSuggests-Travel", "own"}}
		if err := box.c.Store(imap.SeqSetNum(uint32(i+1)), marks, nil).Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"Work", "Papierkorb"} {
		if _, err := box.c.Move(imap.SeqSetNum(1), folder).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	runOnce(t, "polyad", args...)
	for folder, want := range map[string]int{"INBOX": 3, "Work": 1, "Papierkorb": 1} {
		if _, err := box.c.Select(folder, nil).Wait(); err != nil {
			t.Fatal(err)
		}
		list, err := box.c.Fetch(imap.SeqSetNum(1), &imap.FetchOptions{Flags: true}).Collect()
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		marks := slices.DeleteFunc(list[0].Flags, func(f imap.Flag) bool { return f == "\\Recent" })
		if len(marks) != want || !slices.Contains(marks, "own") {
			t.Errorf("%s: %q", folder, marks)
		}
	}
}

// The dialogue proposes what the server has beside folders for other uses, whatever these are
// called, and knows its folder of junk.
func TestIMAPWatchInit(t *testing.T) {
	t.Parallel()
	d := startDovecot(t, "  inbox = yes\n", "  inbox = yes\n  mailbox Gesendet {\n    special_use = \\Sent\n    auto = create\n  }\n  mailbox Werbung {\n    special_use = \\Junk\n    auto = create\n  }\n")
	box := newIMAPBox(t, d)
	box.deliver("Work", sampleMail(t, "held", "work")[0], true)
	dir := t.TempDir()
	settings, database := filepath.Join(dir, "w.toml"), filepath.Join(dir, "x.polya")
	cmd := exec.Command("polyad", "watch", "--init", "--db", database, settings)
	cmd.Stdin = strings.NewReader("imap\n127.0.0.1:" + d.plain + "\nalice\necho secret\n\nno\n")
	out, err := cmd.CombinedOutput()
	text, _ := os.ReadFile(settings)
	if err != nil || !strings.Contains(string(out), "learned 1 as Work") || !strings.Contains(string(text), "name = \"Werbung\"\nclass = \"spam\"\nnew = \"file\"") ||
		strings.Contains(string(text), "Gesendet\"") || strings.Contains(string(text), "\nname = \"Trash\"") {
		t.Errorf("%v: %s\n%s", err, out, text)
	}
	if out := runOnce(t, "polyad", "watch", "--dry-run", settings); !strings.Contains(out, "nothing was changed") {
		t.Error(out)
	}
}
