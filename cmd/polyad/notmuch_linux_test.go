package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// notmuchBox is the mail of notmuch, whose folders are tags: a mail program changes them, and
// moves the files.
type notmuchBox struct {
	t   *testing.T
	dir string
	ids map[string]count.DocID // by notmuch's id
	n   int
}

var notmuchTags = []string{"work", "travel", "spam", "invoices", "trash"}

func newNotmuch(t *testing.T, dir string) *notmuchBox {
	t.Helper()
	if _, err := exec.LookPath("notmuch"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("notmuch is not installed")
	}
	b := &notmuchBox{t, dir, map[string]count.DocID{}, 0}
	for _, folder := range []string{"mail/cur", "mail/new", "mail/tmp", "other/cur", "other/new", "other/tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := fmt.Sprintf("[database]\npath=%s/mail\n[user]\nname=a\nprimary_email=a@example.org\n[new]\ntags=unread\n[maildir]\nsynchronize_flags=false\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTMUCH_CONFIG", filepath.Join(dir, "config"))
	b.notmuch("", "new", "--quiet")
	return b
}

func (b *notmuchBox) notmuch(stdin string, args ...string) string {
	b.t.Helper()
	cmd := exec.Command("notmuch", args...)
	cmd.Stdin = strings.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("notmuch %q: %v: %s", args, err, &said)
	}
	return string(out)
}

func (b *notmuchBox) tag(folder string) string {
	return map[string]string{"Work": "work", "Travel": "travel", "Junk": "spam", "Invoices": "invoices", "Trash": "trash"}[folder]
}

func (b *notmuchBox) class(folder string) string {
	switch folder {
	case "Trash":
		return ""
	case "":
		return ","
	}
	return "," + b.tag(folder)
}

func (b *notmuchBox) deliver(folder string, message []byte, read bool) {
	id, own := mail.Identity(message)
	b.ids[own] = id
	args := []string{"insert"}
	if tag := b.tag(folder); tag != "" {
		args = append(args, "+"+tag)
	}
	if read {
		args = append(args, "-unread")
	}
	b.notmuch(string(message), args...)
}

func (b *notmuchBox) lying() (all []lying) {
	var threads any
	if err := json.Unmarshal([]byte(b.notmuch("", "show", "--format=json", "--body=false", "--exclude=false", "*")), &threads); err != nil {
		b.t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			l := lying{key: v["id"].(string), isRead: true}
			for _, tag := range v["tags"].([]any) {
				if tag == "unread" {
					l.isRead = false
				}
				for _, folder := range []string{"Work", "Travel", "Junk", "Invoices", "Trash"} {
					if tag == b.tag(folder) {
						l.folder += folder
					}
				}
			}
			id, known := b.ids[l.key]
			if !known {
				b.t.Fatalf("what is %q?", l.key)
			}
			l.id = id
			all = append(all, l)
		}
	}
	walk(threads)
	slices.SortFunc(all, func(a, b lying) int { return strings.Compare(a.key, b.key) })
	return all
}

// move changes the tag of a message that still has it, and sometimes its file. Another tag says whether it did:
// polya may have tagged the message a moment before.
func (b *notmuchBox) move(l lying, to string) bool {
	query := fmt.Sprintf("id:\"%s\"", l.key)
	for _, tag := range notmuchTags {
		if tag == b.tag(l.folder) {
			query += " and tag:" + tag
		} else {
			query += " and not tag:" + tag
		}
	}
	b.n++
	moved := fmt.Sprintf("moved%d", b.n)
	args := []string{"+" + moved}
	for _, tag := range notmuchTags {
		sign := "-"
		if tag == b.tag(to) {
			sign = "+"
		}
		args = append(args, sign+tag)
	}
	b.notmuch("", append(append([]string{"tag"}, args...), "--", query)...)
	if b.notmuch("", "count", "--exclude=false", "tag:"+moved) == "0\n" {
		return false
	}
	if b.n%5 == 0 { // a file gets another name, which notmuch hears of later or at once
		path := strings.TrimSpace(b.notmuch("", "search", "--output=files", "--exclude=false", fmt.Sprintf("id:\"%s\"", l.key)))
		if err := os.Rename(path, filepath.Join(b.dir, "mail/cur", fmt.Sprintf("moved%d.host:2,", b.n))); err != nil {
			b.t.Fatal(err)
		}
		b.notmuch("", "new", "--quiet")
	}
	return true
}

func (b *notmuchBox) remove(l lying) bool {
	path := strings.TrimSpace(b.notmuch("", "search", "--output=files", "--exclude=false", fmt.Sprintf("id:\"%s\"", l.key)))
	if err := os.Remove(path); err != nil {
		b.t.Fatal(err)
	}
	b.notmuch("", "new", "--quiet")
	return true
}

// rename does nothing: a tag that messages do not have any more was taken from them.
func (b *notmuchBox) rename(string, string) bool { return false }

func (b *notmuchBox) read(l lying) {
	b.notmuch("", "tag", "-unread", "--", fmt.Sprintf("id:\"%s\"", l.key))
}

// A user gives and takes tags of 120 messages at random, the watcher is killed again and again,
// and no message is lost, tagged twice, or learned as what he has not said.
func TestNotmuchWatch(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	dir := t.TempDir()
	box := newNotmuch(t, dir)
	text, err := os.ReadFile("../../docs/mailboxes/notmuch.toml")
	if err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "watch.toml")
	text = append([]byte("interval = \"1s\"\nprecision = 0.6\n"), bytes.Replace(text, []byte("not tag:deleted"), []byte("not tag:trash"), 1)...)
	if err := os.WriteFile(settings, text, 0o600); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(dir, "mail.polya")
	watchAtRandom(t, newOwner(t, box, 4), database, "watch", settings)
	if out := runOnce(t, "polyad", "watch", "--dry-run", settings, "--db", database); !strings.Contains("\n"+out, "\nwork: ") {
		t.Errorf("no outlook for a tag: %s", out)
	}
}
