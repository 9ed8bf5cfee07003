package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// A delivery has a real program deliver messages to a Maildir, by a file of the docs.
type delivery struct {
	t       *testing.T
	home    string
	page    string                 // file below docs
	folders []string               // of the Maildir; nil is none at all
	command func(rc string) string // of the shell
}

// procmail delivers by a procmailrc. It has a HOME of its own.
func procmail(t *testing.T, page string) *delivery {
	program := need(t, "procmail")
	return &delivery{t, t.TempDir(), page, []string{"", ".Junk", ".Unsure"}, func(rc string) string { return "exec " + program + " -m " + rc }}
}

// maildrop delivers by a mailfilter, which only its owner may read.
func maildrop(t *testing.T, page string) *delivery {
	program := need(t, "maildrop")
	return &delivery{t, t.TempDir(), page, []string{"", ".Junk", ".Unsure"}, func(rc string) string { return "exec " + program + " " + rc }}
}

// deliver delivers a message with a database, in an address space of so many kB unless that
// is 0, and returns the folder that has it and its content there.
func (d *delivery) deliver(database, message string, kilobytes int) (folder, content string) {
	d.t.Helper()
	page, err := os.ReadFile(filepath.Join("../../docs", d.page))
	if err != nil {
		d.t.Fatal(err)
	}
	const path = "/usr/local/bin:/usr/bin:/bin"
	first, rest, found := strings.Cut(string(page), "\n")
	if !found || !strings.Contains(rest, path) {
		d.t.Fatalf("%s has no PATH", d.page)
	}
	rest = strings.ReplaceAll(rest, path, os.Getenv("PATH"))
	home := fmt.Sprintf("HOME=%q\nPOLYA_DB=%q\nPOLYA_WAIT=\"100ms\"\n", d.home, database)
	rc := filepath.Join(d.home, "rc")
	if err := os.WriteFile(rc, []byte(first+"\n"+home+rest), 0o600); err != nil {
		d.t.Fatal(err)
	}
	maildir := filepath.Join(d.home, "Maildir")
	if err := os.RemoveAll(maildir); err != nil {
		d.t.Fatal(err)
	}
	for _, folder := range d.folders {
		for _, sub := range []string{"cur", "new", "tmp"} {
			if err := os.MkdirAll(filepath.Join(maildir, folder, sub), 0o700); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	limit := ""
	if kilobytes > 0 {
		limit = fmt.Sprintf("ulimit -v %d; ", kilobytes)
	}
	cmd := exec.CommandContext(d.t.Context(), "sh", "-c", limit+d.command(rc))
	cmd.Env = append(os.Environ(), "HOME="+d.home, "POLYA_DB="+database, "POLYA_WAIT=100ms")
	cmd.Stdin = strings.NewReader("From shop@example.org  Mon Jan  5 10:00:00 2026\n" + message)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s: %v\n%s", d.page, err, out)
	}
	delivered, _ := filepath.Glob(filepath.Join(maildir, "new", "*"))
	for _, f := range []string{".Junk", ".Unsure"} {
		in, _ := filepath.Glob(filepath.Join(maildir, f, "new", "*"))
		if len(in) > 0 {
			folder = f
		}
		delivered = append(delivered, in...)
	}
	if len(delivered) != 1 {
		d.t.Fatalf("%s: delivered %q\n%s", d.page, delivered, out)
	}
	b, err := os.ReadFile(delivered[0])
	if err != nil {
		d.t.Fatal(err)
	}
	return folder, string(b)
}

// sorts has messages delivered whatever state the database is in, whole, and to their
// folders where it answers. The field of the answer is called field.
func (d *delivery) sorts(field string) {
	d.t.Helper()
	database := trained(d.t, d.t.TempDir())
	wants := func(what, database, name, folder string, kilobytes int) {
		d.t.Helper()
		message := held(d.t, name)
		in, content := d.deliver(database, message, kilobytes)
		if strings.HasPrefix(content, "From ") {
			_, content, _ = strings.Cut(content, "\n")
		}
		answer := strings.Contains(content, field)
		if answer {
			line, rest, _ := strings.Cut(content, "\n")
			if !strings.HasPrefix(line, field) {
				d.t.Errorf("%s: first line %q", what, line)
			}
			content = rest
		}
		if strings.HasSuffix(content, "\n\n") && !strings.HasSuffix(message, "\n\n") {
			content = content[:len(content)-1] // procmail adds an empty line
		}
		if in != folder || content != message || answer != (what == "") {
			d.t.Errorf("%s: %s: folder %q, answer %v, %d bytes instead of %d", what, name, in, answer, len(content), len(message))
		}
	}
	wants("", database, "spam/003.eml", ".Junk", 0)
	wants("", database, "travel/001.eml", "", 0)
	wants("", database, "spam/007.eml", ".Unsure", 0)
	for what, path := range broken(d.t) {
		wants(what, path, "spam/003.eml", "", 0)
	}
	wants("little address space", database, "spam/003.eml", "", 256<<10)
}

func TestProcmail(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	d := procmail(t, "procmail/procmailrc")
	d.sorts("X-Polya-Class: ")

	// The help has the same rules.
	page, err := os.ReadFile("../../docs/procmail/procmailrc")
	if err != nil {
		t.Fatal(err)
	}
	_, rules, _ := strings.Cut(string(page), "\nDEFAULT")
	if !strings.Contains(strings.ReplaceAll(helpText("filter"), "\n    ", "\n"), "\nDEFAULT"+rules) {
		t.Error("the help has other rules than docs/procmail/procmailrc")
	}

	// Without a Maildir procmail makes it, and delivers nowhere else.
	d.folders = nil
	if in, content := d.deliver(trained(t, t.TempDir()), held(t, "travel/001.eml"), 0); in != "" || !strings.Contains(content, "X-Polya-Class: ") {
		t.Errorf("without a Maildir: folder %q", in)
	}
}

func TestMaildrop(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	d := maildrop(t, "maildrop/mailfilter")
	d.sorts("X-Polya-Class: ")

	// Spam goes to the inbox where there is no folder for it.
	d.folders = []string{""}
	if in, content := d.deliver(trained(t, t.TempDir()), held(t, "spam/003.eml"), 0); in != "" || !strings.Contains(content, "X-Polya-Class: spam") {
		t.Errorf("without a folder for spam: folder %q", in)
	}
}

// What called bogofilter calls polya, and leaves a message that has no answer with the mail
// server, as before.
func TestProcmailBogofilter(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	d := procmail(t, "procmail/bogofilter.procmailrc")
	database := trained(t, t.TempDir())
	for name, folder := range map[string]string{"spam/003.eml": ".Junk", "travel/001.eml": "", "spam/007.eml": ".Unsure"} {
		if in, content := d.deliver(database, held(t, name), 0); in != folder || !strings.Contains(content, "X-Bogosity: ") {
			t.Errorf("%s: folder %q", name, in)
		}
	}
}

// A full disk keeps nobody from an answer, and no message from its delivery.
func TestDeliveryFullDisk(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("polya", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no disk to fill: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	database := trained(t, disk)
	f, err := os.Create(filepath.Join(disk, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	for _, d := range []*delivery{procmail(t, "procmail/procmailrc"), maildrop(t, "maildrop/mailfilter"), procmail(t, "procmail/bogofilter.procmailrc")} {
		if in, content := d.deliver(database, held(t, "spam/003.eml"), 0); in != ".Junk" || !strings.Contains(content, held(t, "spam/003.eml")) {
			t.Errorf("%s: folder %q, %d bytes", d.page, in, len(content))
		}
	}
}

// The pages show the files that are tested.
func TestDeliveryPages(t *testing.T) {
	t.Parallel()
	for page, files := range map[string][]string{"procmail.md": {"procmail/procmailrc", "procmail/bogofilter.procmailrc"}, "maildrop.md": {"maildrop/mailfilter"},
		"mailboxes.md": {"mailboxes/maildir.toml"}} {
		text, err := os.ReadFile(filepath.Join("../../docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := os.ReadFile(filepath.Join("../../docs", name))
			if err != nil {
				t.Fatal(err)
			}
			shown := string(text)
			if !strings.Contains(shown, string(file)) {
				shown = strings.ReplaceAll(shown, "\n   ", "\n")
			}
			if !strings.Contains(shown, string(file)) {
				t.Errorf("%s does not show %s as it is", page, name)
			}
		}
	}
}
