package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// maildirBox is a mailbox in a Maildir++, used as mail programs do.
type maildirBox struct {
	folders
	t    *testing.T
	root string
	ids  map[string]count.DocID // by base name
	n    int
}

func newMaildir(t *testing.T, root string) *maildirBox {
	b := &maildirBox{folderClasses, t, root, map[string]count.DocID{}, 0}
	for _, folder := range []string{"", "Work", "Travel", "Junk", "Invoices", "Trash"} {
		for _, dir := range []string{"cur", "new", "tmp"} {
			if err := os.MkdirAll(filepath.Join(b.dir(folder), dir), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

func (b *maildirBox) dir(folder string) string {
	if folder == "" {
		return b.root
	}
	return filepath.Join(b.root, "."+folder)
}

func (b *maildirBox) deliver(folder string, message []byte, read bool) {
	b.n++
	base := fmt.Sprintf("1700000000.M%dP1.host,S=%d", b.n, len(message))
	tmp, to := filepath.Join(b.dir(folder), "tmp", base), filepath.Join(b.dir(folder), "new", base)
	if read {
		to = filepath.Join(b.dir(folder), "cur", base+":2,S")
	}
	if err := os.WriteFile(tmp, message, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.ids[base] = mail.ID(message)
	if err := os.Rename(tmp, to); err != nil {
		b.t.Fatal(err)
	}
}

func (b *maildirBox) lying() (all []lying) {
	for _, folder := range []string{"", "Work", "Travel", "Junk", "Invoices", "Trash"} {
		seen := map[string]bool{}
		for again := true; again; { // a file that is renamed meanwhile may be under neither name
			again = false
			for _, dir := range []string{"new", "cur"} {
				before, err := os.Stat(filepath.Join(b.dir(folder), dir))
				if errors.Is(err, fs.ErrNotExist) { // the folder has another name
					continue
				}
				entries, err := os.ReadDir(filepath.Join(b.dir(folder), dir))
				if err != nil {
					b.t.Fatal(err)
				}
				after, _ := os.Stat(filepath.Join(b.dir(folder), dir))
				again = again || !before.ModTime().Equal(after.ModTime())
				for _, e := range entries {
					base, flags, _ := strings.Cut(e.Name(), ":")
					if !seen[base] {
						seen[base] = true
						all = append(all, lying{folder, dir + "/" + e.Name(), b.ids[base], strings.Contains(flags, "S")})
					}
				}
			}
		}
	}
	return all
}

func (b *maildirBox) move(l lying, to string) bool {
	base, flags, _ := strings.Cut(filepath.Base(l.key), ":")
	if flags == "" {
		flags = "2,"
	}
	b.n++
	if b.n%2 == 0 { // as a program does that gives it a name of its own
		id := b.ids[base]
		base = fmt.Sprintf("1700000001.M%dP2.host", b.n)
		b.ids[base] = id
	}
	return os.Rename(filepath.Join(b.dir(l.folder), l.key), filepath.Join(b.dir(to), "cur", base+":"+flags)) == nil
}

func (b *maildirBox) read(l lying) {
	base, flags, _ := strings.Cut(filepath.Base(l.key), ":")
	if strings.Contains(flags, "S") {
		return
	}
	_ = os.Rename(filepath.Join(b.dir(l.folder), l.key), filepath.Join(b.dir(l.folder), "cur", base+":2,S"))
}

func (b *maildirBox) remove(l lying) bool {
	return os.Remove(filepath.Join(b.dir(l.folder), l.key)) == nil
}

func (b *maildirBox) rename(from, to string) bool { return os.Rename(b.dir(from), b.dir(to)) == nil }

// startWatcher starts a watcher, and returns what kills it.
func startWatcher(t *testing.T, output *bytes.Buffer, args ...string) (kill func()) {
	t.Helper()
	cmd := exec.Command("polyad", args...)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(kill)
	return kill
}

// A user moves 120 messages at random, the watcher is killed again and again, and no message
// is lost, doubled, or learned as what he has not said.
func TestMaildirWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, database := filepath.Join(dir, "Maildir"), filepath.Join(dir, "mail.polya")
	watchAtRandom(t, newOwner(t, newMaildir(t, root), 1), database, "watch", maildirSettings(t, dir, root))
}

// maildirSettings writes the settings of the page.
func maildirSettings(t *testing.T, dir, root string) (path string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/mailboxes/maildir.toml")
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "watch.toml")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "~/Maildir", root, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runOnce runs a command to its end.
func runOnce(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %s", program, args, out)
	}
	return string(out)
}

func ledgerOf(t *testing.T, database string) string {
	t.Helper()
	return runOnce(t, "polya", "dump", "--ledger", "--db", database)
}

func watchAtRandom(t *testing.T, o *owner, database string, args ...string) {
	var output bytes.Buffer
	args = append(args, "--db", database)
	kill := startWatcher(t, &output, args...)
	defer func() {
		if t.Failed() {
			kill() // until then it writes
			t.Logf("%s", output.Bytes())
		}
	}()
	settled := func() {
		var wrong []string
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if wrong = o.wrong(database); len(wrong) == 0 {
				return
			}
		}
		kill()
		t.Fatalf("%s", strings.Join(wrong, "\n"))
	}
	settled()
	for range 10 {
		o.deliver()
	}
	cmdtest.WaitUntil(t, func() bool { return o.filed() >= 3 })
	kills := 0
	for o.moved < 120 {
		o.act()
		if o.other != nil {
			o.other()
		}
		switch n := o.r.IntN(16); {
		case n == 0:
			kill()
			kills++
			for range o.r.IntN(10) {
				o.act()
			}
			kill = startWatcher(t, &output, args...)
		case n < 12:
			time.Sleep(time.Duration(o.r.IntN(20)) * time.Millisecond)
		}
	}
	settled()
	kill()
	filed := bytes.Count(output.Bytes(), []byte(": filed for "))
	if kills < 3 || o.removed < 3 {
		t.Errorf("%d kills, %d removed", kills, o.removed)
	}
	if out, err := exec.Command("polya", "check", "--db", database).CombinedOutput(); err != nil {
		t.Errorf("%s: %v", out, err)
	}
	t.Logf("%d moves, %d removed, %d folders renamed, %d kills, %d filed", o.moved, o.removed, o.renamed, kills, filed)
}

// Beside a daemon the watcher has the database lent for what it learns, and the daemon answers by
// it and learns what others teach.
func TestMaildirWatchDaemon(t *testing.T) {
	t.Parallel()
	dir := cmdtest.ShortDir(t)
	root, database := filepath.Join(dir, "Maildir"), filepath.Join(dir, "mail.polya")
	box := newMaildir(t, root)
	o := newOwner(t, box, 3)
	daemon := cmdtest.StartDaemon(t, database)
	var output bytes.Buffer
	kill := startWatcher(t, &output, "watch", maildirSettings(t, dir, root), "--db", database)
	cmdtest.WaitUntil(t, func() bool { return len(o.wrong(database)) == 0 })
	for range 10 {
		o.deliver()
	}
	cmdtest.WaitUntil(t, func() bool { return o.filed() >= 3 })
	message := filepath.Join(dir, "new.eml")
	if err := os.WriteFile(message, o.held[0], 0o600); err != nil {
		t.Fatal(err)
	}
	for o.moved < 20 {
		o.act()
		if out := runOnce(t, "polya", "train", "other", message, "--new-class", "--db", database); !strings.Contains(out, "learned 1") {
			t.Errorf("the daemon or a training beside it says %q", out)
		}
		runOnce(t, "polya", "forget", message, "--db", database)
		if out := runOnce(t, "polya", "classify", "--db", database, message); !strings.Contains(out, message) {
			t.Errorf("the daemon says %q", out)
		}
	}
	cmdtest.WaitUntil(t, func() bool { return len(o.wrong(database)) == 0 })
	kill()
	if strings.Contains(output.String(), "polya: ") {
		t.Errorf("the watcher complains: %s", output.Bytes())
	}
	if err := daemon.Signal(syscall.Signal(0)); err != nil {
		t.Error(err)
	}
}

// The watcher serves a page that lists what it has answered, suggestions too, and learns beside it.
func TestWatchPage(t *testing.T) {
	t.Parallel()
	dir := cmdtest.ShortDir(t)
	root, database := filepath.Join(dir, "Maildir"), filepath.Join(dir, "mail.polya")
	o := newOwner(t, newMaildir(t, root), 5)
	settings := maildirSettings(t, dir, root)
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + freePort(t)
	if err := os.WriteFile(settings, append(fmt.Appendf(nil, "page = %q\n", address), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("polyad", "watch", settings, "--db", database)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	cmdtest.WaitUntil(t, func() bool { return len(o.wrong(database)) == 0 })
	for range 10 {
		o.deliver()
	}
	cmdtest.WaitUntil(t, func() bool { return o.filed() >= 3 })
	token, err := os.ReadFile(settings + ".token")
	if err != nil {
		t.Fatal(err)
	}
	cmdtest.WaitUntil(t, func() bool {
		return strings.Contains(signIn(t, "http://"+address, strings.TrimSpace(string(token))), "The last 10 answers")
	})
	if out := runOnce(t, "polyad", "watch", "--dry-run", settings, "--db", database); !strings.Contains(out, "nothing was changed") {
		t.Error(out)
	}
	// Another one whose page has no place says so, and watches.
	second := t.TempDir()
	o2 := newOwner(t, newMaildir(t, second), 8)
	copied := filepath.Join(dir, "second.toml")
	if err := os.WriteFile(copied, bytes.Replace(append(fmt.Appendf(nil, "page = %q\n", address), text...), []byte(root), []byte(second), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	f, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command("polyad", "watch", copied, "--db", filepath.Join(dir, "second.polya"))
	other.Stdout, other.Stderr = f, f
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	cmdtest.WaitUntil(t, func() bool { return len(o2.wrong(filepath.Join(dir, "second.polya"))) == 0 })
	if said, _ := os.ReadFile(log); !strings.Contains(string(said), "polyad: the page: ") {
		t.Errorf("%s", said)
	}
	other.Process.Kill()
	other.Wait()
	f.Close()
	for o.moved < 20 {
		o.act()
	}
	cmdtest.WaitUntil(t, func() bool { return len(o.wrong(database)) == 0 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || strings.Contains(output.String(), "polyad: ") || !strings.Contains(output.String(), "page: http://"+address+"/sign-in\n") {
		t.Errorf("%v: %s", err, output.Bytes())
	}
}
