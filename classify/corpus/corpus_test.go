package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
)

const (
	mail  = "From: a@example.org\nSubject: hello\n\nbody\n"
	mbox1 = "From a@example.org Thu Aug 22 12:36:23 2002\n" + mail
	mbox2 = mbox1 + "\nFrom b@example.org Fri Aug 23 01:02:03 2002\nSubject: second\nTo: x\n\n>From here\n>>From there\n\n"
)

// tree writes files, by path below the folder it returns.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// collector keeps a line for each document: "path format class".
func collector(dir string, into *[]string) func(*corpus.Document) error {
	return func(d *corpus.Document) error {
		path := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(d.Path, dir)), "/")
		*into = append(*into, strings.TrimRight(fmt.Sprintf("%s %v %s", path, d.Format, d.Class), " "))
		return nil
	}
}

func walk(t *testing.T, dir string, o corpus.Options) ([]string, error) {
	t.Helper()
	var got []string
	err := corpus.Walk(context.Background(), dir, o, collector(dir, &got))
	return got, err
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestWalkFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/x.txt":      "one",
		"a-b":          "two",
		"a.txt":        "",
		"page":         "\n<p>three",
		"1.eml":        mail,
		"one.mbox":     mbox1,
		"two.mbox":     mbox2,
		"docs.jsonl":   `{"text":"x","class":"c","id":7}` + "\n\n" + `{"text":"<p>y</p>"}`,
		".hidden":      "no",
		".git/config":  "no",
		"sub/.git/own": "no",
		"empty/":       "",
	})
	got, err := walk(t, dir, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, []string{
		"1.eml mail", "a-b text", "a.txt text", "a/x.txt text", "docs.jsonl:1 text c", "docs.jsonl:3 html",
		"one.mbox mail", "page html", "two.mbox:1 mail", "two.mbox:2 mail",
	})
	want := int64(0)
	for _, name := range []string{"1.eml", "a-b", "a.txt", "a/x.txt", "docs.jsonl", "one.mbox", "page", "two.mbox"} {
		want += corpus.Size(filepath.Join(dir, name), corpus.Options{})
	}
	if got := corpus.Size(dir, corpus.Options{Subfolders: true}); got != want || got < 300 {
		t.Errorf("Size: %d bytes, want %d", got, want)
	}
}

func TestWalkMaildir(t *testing.T) {
	dir := tree(t, map[string]string{
		"cur/1.host:2,S": mail, "cur/2.host:2,FRS": mail, "cur/3.host:2,ab": "odd", "new/4.host": mbox1,
		"tmp/5.host": mail, "dovecot-uidlist": "3 V1", "cur/deeper/6": mail,
		".Junk/cur/7:2,S": mail, ".Junk/new/": "", ".Junk/tmp/8": mail, ".plain/9": mail,
		".Work.R&AOk-sum&AOk-/cur/": "", ".Work.R&AOk-sum&AOk-/new/10": mail,
	})
	got, err := walk(t, dir, corpus.Options{Subfolders: true})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, []string{
		".Junk/cur/7:2,S mail", ".Work.R&AOk-sum&AOk-/new/10 mail",
		"cur/1.host:2,S mail", "cur/2.host:2,FRS mail", "cur/3.host:2,ab mail", "new/4.host mail",
	})
	got = nil
	if err := corpus.Folders(context.Background(), dir, corpus.Options{}, collector(dir, &got)); err != nil {
		t.Fatal(err)
	}
	equal(t, got, []string{
		".Junk/cur/7:2,S mail Junk", ".Work.R&AOk-sum&AOk-/new/10 mail Work.Résumé",
		"cur/1.host:2,S mail INBOX", "cur/2.host:2,FRS mail INBOX", "cur/3.host:2,ab mail INBOX", "new/4.host mail INBOX",
	})
	if got := corpus.Size(dir, corpus.Options{Subfolders: true}); got != int64(4*len(mail)+len("odd")+len(mbox1)) {
		t.Errorf("Size: %d bytes", got)
	}
}

// A mail program gives a message flags, and moves one from new/ to cur/, between
// listing and reading.
func TestMaildirRenamed(t *testing.T) {
	dir := tree(t, map[string]string{"cur/1:2,": mail, "cur/2:2,": mail, "new/3": mail, "new/4": mail, "new/5": mail})
	moves := map[string][2]string{"cur/1:2,": {"cur/2:2,", "cur/2:2,S"}, "new/3": {"new/4", "cur/4:2,"}, "cur/4:2,": {"new/5", "gone"}}
	var got []string
	add := collector(dir, &got)
	err := corpus.Walk(context.Background(), dir, corpus.Options{}, func(d *corpus.Document) error {
		rel, _ := filepath.Rel(dir, d.Path)
		if m, ok := moves[filepath.ToSlash(rel)]; ok {
			if err := os.Rename(filepath.Join(dir, m[0]), filepath.Join(dir, m[1])); err != nil {
				t.Fatal(err)
			}
		}
		return add(d)
	})
	equal(t, got, []string{"cur/1:2, mail", "cur/2:2,S mail", "new/3 mail", "cur/4:2, mail"})
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a message that is gone: %v", err)
	}
}

func TestFolders(t *testing.T) {
	dir := tree(t, map[string]string{
		"README": "beside", "ham/1": mail, "ham/deep/2": "x", "spam/box.mbox": mbox2, "docs/a.jsonl": `{"text":"x","class":"y"}`,
		"maildir/cur/1": mail, "maildir/new/": "", ".hidden/1": mail, "zero/": "",
	})
	var got []string
	err := corpus.Folders(context.Background(), dir, corpus.Options{}, collector(dir, &got))
	if err == nil || !strings.Contains(err.Error(), "zero: no documents") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error about the empty class: %v", err)
	}
	equal(t, got, []string{
		"docs/a.jsonl:1 text docs", "ham/1 mail ham", "ham/deep/2 text ham", "maildir/cur/1 mail maildir",
		"spam/box.mbox:1 mail spam", "spam/box.mbox:2 mail spam",
	})
	if err := corpus.Folders(context.Background(), filepath.Join(dir, "ham", "deep"), corpus.Options{}, nil); err == nil {
		t.Error("no error for a folder without class folders")
	}
}

// Mailboxes beside each other are classes, as Thunderbird and Google Takeout keep them.
func TestFoldersOfMailboxes(t *testing.T) {
	mailboxes := map[string]string{
		"Inbox": mbox2, "Inbox.msf": "x", "Empty": "", "Empty.msf": "x", "Trash": mbox1, "Trash.msf": "x", "2. Term": mbox1, "2. Term.msf": "x",
		"Journeys.sbd/Italy": mbox2, "Journeys.sbd/Italy.msf": "x", "Archives.sbd/2010": mbox1, "Archives.sbd/2010.msf": "x",
		"Journeys.sbd/Peru": mbox1, "Journeys.sbd/prefs": "x", "Lost": mbox2, // their index is gone
		"Bills.mbox.gz": gzipped(t, mbox1), "Junk.mbox/mbox": mbox1, "rules.dat": "x", "letter.eml": mail, "Lists.mbox": mbox1,
		"Settings/Filters.json": "{}", "New/cur/1.eml": mail, "New/tmp/2.eml": mail, "New.msf": "x", // a Maildir of Thunderbird
		"INBOX.sbd/Sent": mbox1, "INBOX.sbd/Sent.msf": "x", "INBOX.sbd/Work": mbox1, "INBOX.sbd/Work.msf": "x",
		"[Gmail].sbd/All": mbox1, "[Gmail].sbd/All.msf": "x", "[Gmail].sbd/Spam": mbox1, "[Gmail].sbd/Spam.msf": "x",
		"Office.mbox/Info.plist": "<plist/>", "Office.mbox/X/Data/1/Messages/1.partial.emlx": mail, // of Apple Mail
		"Office.mbox/X/Data/Attachments/1/2/a.eml": mail, "Office.mbox/X/Data/Attachments/1/2/a.txt": "x", "Office.mbox/Plans.mbox/X/Data/Messages/2.emlx": mail,
	}
	tests := []struct {
		files   map[string]string
		want    []string
		special int
	}{
		{mailboxes, []string{
			"2. Term mail 2. Term", "Bills.mbox.gz mail Bills", "Empty text Empty", "INBOX.sbd/Work mail Work", "Inbox:1 mail Inbox", "Inbox:2 mail Inbox", "Journeys.sbd/Italy:1 mail Journeys.Italy",
			"Journeys.sbd/Italy:2 mail Journeys.Italy", "Journeys.sbd/Peru mail Journeys.Peru", "Junk.mbox/mbox mail Junk", "Lost:1 mail Lost", "Lost:2 mail Lost", "New/cur/1.eml mail New",
			"Office.mbox/Plans.mbox/X/Data/Messages/2.emlx mail Office.Plans", "Office.mbox/X/Data/1/Messages/1.partial.emlx mail Office", "[Gmail].sbd/Spam mail Spam",
		}, 4},
		// Mailboxes beside folders of documents are no classes, and names stay.
		{map[string]string{"Junk/1": mail, "Archives.sbd/2010": mbox1, "Archives.sbd/2010.msf": "x", "Bills.mbox": mbox1, "Journeys.mbox/mbox": mbox1}, []string{
			"Archives.sbd/2010 mail Archives.sbd", "Journeys.mbox/mbox mail Journeys.mbox", "Junk/1 mail Junk",
		}, 0},
	}
	for _, tt := range tests {
		dir := tree(t, tt.files)
		var got []string
		special := 0
		o := corpus.Options{Exclude: []string{"Lists"}, Remark: func(_ string, _ corpus.Oddity, n int) { special += n }}
		if err := corpus.Folders(context.Background(), dir, o, collector(dir, &got)); err != nil {
			t.Error(err)
		}
		slices.Sort(got)
		equal(t, got, tt.want)
		if special != tt.special {
			t.Errorf("%d folders left out, not %d", special, tt.special)
		}
	}
}

// Where folders are read as mailboxes and have no mail, the error says so.
func TestFoldersLikeMailboxes(t *testing.T) {
	dir := tree(t, map[string]string{"x.mbox/1.txt": "hello", "y/1.json": "{}"})
	err := corpus.Folders(context.Background(), dir, corpus.Options{}, func(*corpus.Document) error { return nil })
	if err == nil || !strings.Contains(err.Error(), ": no mail found; a folder with a name like NAME.mbox") {
		t.Error(err)
	}
}

// A Maildir for sent mail is no class among folders either, one of documents is.
func TestFoldersOfMaildirs(t *testing.T) {
	dir := tree(t, map[string]string{"Work/cur/1": mail, "Work/new/": "", "Sent/cur/2": mail, "Sent/new/": "", "Drafts/3": mail})
	var got []string
	if err := corpus.Folders(context.Background(), dir, corpus.Options{}, collector(dir, &got)); err != nil {
		t.Error(err)
	}
	equal(t, got, []string{"Drafts/3 mail Drafts", "Work/cur/1 mail Work"})
}

// Folders of Maildirs in folders are named as those of a Maildir++: their outer ones are not lost.
func TestFoldersInMaildir(t *testing.T) {
	files := map[string]string{"cur/": "", "new/1": mail, "Travel/cur/": "", "Travel/new/": "", "Sent/cur/": "", "Sent/new/": ""}
	for _, folder := range []string{"Work", "Work/2024", "Travel/2024", "Sent/2024", ".[Gmail].Spam", ".[Gmail].All Mail"} {
		files[folder+"/cur/"], files[folder+"/new/1"] = "", mail
	}
	dir := tree(t, files)
	var got []string
	if err := corpus.Folders(context.Background(), dir, corpus.Options{}, collector(dir, &got)); err != nil {
		t.Error(err)
	}
	equal(t, got, []string{
		".[Gmail].Spam/new/1 mail [Gmail].Spam", "Travel/2024/new/1 mail Travel.2024", "Work/2024/new/1 mail Work.2024", "Work/new/1 mail Work", "new/1 mail INBOX",
	})
}

// A mailbox that is left out takes those inside it along, and many files of JSON beside one are documents.
func TestFoldersLeftOut(t *testing.T) {
	files := map[string]string{"Work.mbox": mbox1, "Work.sbd/Plans": mbox1, "Work.sbd/Plans.msf": "x", "Home.mbox": mbox1}
	json := map[string]string{"Work.mbox": mbox1}
	for i := range 20 {
		json[fmt.Sprintf("a/%02d.json", i)] = "{}"
	}
	for _, tt := range []struct {
		files map[string]string
		first string
		n     int
	}{{files, "Home.mbox mail Home", 1}, {json, "a/00.json text a", 20}} {
		dir := tree(t, tt.files)
		var got []string
		if err := corpus.Folders(context.Background(), dir, corpus.Options{Exclude: []string{"Work"}}, collector(dir, &got)); err != nil {
			t.Error(err)
		}
		if len(got) != tt.n || got[0] != tt.first {
			t.Error(got)
		}
	}
}

// Some servers keep all folders in the inbox.
func TestNamesInInbox(t *testing.T) {
	for name, want := range map[string][2]bool{
		"INBOX.Junk": {true, false}, "INBOX.Sent": {false, true}, "INBOX.Sent.2025": {false, true}, "INBOX": {}, "INBOX.Work": {}, "[Gmail].Spam": {}, "[Gmail].All Mail": {false, true}, "Work.Sent": {},
	} {
		if got := [2]bool{corpus.IsJunk(name), corpus.IsSpecial(name)}; got != want {
			t.Errorf("%s: junk, special %v, not %v", name, got, want)
		}
	}
}

// A file of Apple Mail is the message in it.
func TestAppleMessage(t *testing.T) {
	dir := tree(t, map[string]string{
		"Rice.mbox/Info.plist": "<plist/>", // what Apple Mail keeps beside the messages of a mailbox
		"1.emlx":               fmt.Sprintf("%-10d\n%s<?xml version=\"1.0\"?>\n<plist/>\n", len(mail), mail), "2.emlx": mail, "3.emlx": "12", "4.emlx": "99999\n" + mail,
	})
	for format, third := range map[corpus.Format]string{corpus.Auto: "text", corpus.Mail: "mail"} {
		var got []string
		err := corpus.Walk(context.Background(), dir, corpus.Options{Format: format}, func(d *corpus.Document) error {
			got = append(got, fmt.Sprint(filepath.Base(d.Path), " ", d.Format, " ", string(d.Content) == mail, " ", d.Cut))
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		equal(t, got, []string{"1.emlx mail true false", "2.emlx mail true false", "3.emlx " + third + " false false", "4.emlx mail true false"})
	}
}

// JSON is told by the keys that are asked for, too.
func TestJSONByKeys(t *testing.T) {
	array, line := `[{"id":1,"Body":"x","label":"a"}]`, `{"label":"a","body":"x"}`
	dir := tree(t, map[string]string{"a.json": array, "b.json": `[{"":1}]`, "lines": line})
	named, usual, class := corpus.Options{TextColumns: []string{"body"}}, corpus.Options{}, corpus.Options{ClassColumn: "label", Several: true}
	usual.Usual.Texts = []string{"body"}
	for _, tt := range []struct {
		o    corpus.Options
		want []string
	}{
		{corpus.Options{}, []string{"a.json text", "b.json text", "lines text"}}, {named, []string{"a.json:1 text", "b.json text", "lines text"}}, {usual, []string{"a.json:1 text", "b.json text", "lines text"}},
		{corpus.Options{TextColumns: []string{"body"}, Several: true}, []string{"a.json:1 text", "b.json text", "lines:1 text"}},
	} {
		got, err := walk(t, dir, tt.o)
		if err != nil {
			t.Error(err)
		}
		equal(t, got, tt.want)
	}
	if _, err := walk(t, dir, class); err == nil || strings.Count(err.Error(), `no column "text" for the text: there are `) != 2 {
		t.Errorf("a class alone: %v", err)
	}
}

func TestFormatAsked(t *testing.T) {
	dir := tree(t, map[string]string{"mbox": mbox2, "text": "x", "new/1": "y", "cur/": ""})
	tests := []struct {
		path   string
		format corpus.Format
		want   []string
	}{
		{"", corpus.Mail, []string{"new/1 mail"}}, // a Maildir
		{"", corpus.Text, []string{"mbox text", "new/1 text", "text text"}},
		{"", corpus.Maildir, []string{"new/1 mail"}},
		{"mbox", corpus.Mail, []string{"mbox mail"}},
		{"mbox", corpus.HTML, []string{"mbox html"}},
		{"mbox", corpus.Mbox, []string{"mbox:1 mail", "mbox:2 mail"}},
		{"text", corpus.Mbox, nil},
		{"text", corpus.JSONL, nil},
		{"text", corpus.Maildir, nil},
		{"text", corpus.Format(99), nil},
	}
	for _, tt := range tests {
		var got []string
		err := corpus.Walk(context.Background(), filepath.Join(dir, tt.path), corpus.Options{Format: tt.format}, collector(dir, &got))
		if (err == nil) != (tt.want != nil) {
			t.Errorf("%s as %v: %v", tt.path, tt.format, err)
		}
		equal(t, got, tt.want)
	}
}

func TestErrorsDoNotStopAFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		"a": "x", "b.jsonl": "{\"text\":\"1\"}\r\n{bad\n{\"id\":3}\n{\"text\":\"4\",\"time\":\"noon\"}\n{\"text\":\"5\"}", "z": "y",
	})
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	os.Symlink("a", filepath.Join(dir, "linked"))
	os.Symlink(".", filepath.Join(dir, "loop"))
	got, err := walk(t, dir, corpus.Options{})
	equal(t, got, []string{"a text", "b.jsonl:1 text", "b.jsonl:5 text", "linked text", "z text"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"b.jsonl:2: ", "b.jsonl:3: no column \"text\"", "b.jsonl:4: ", "link: a link to what is not there: no such file"} {
		if runtime.GOOS != "windows" && !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q:\n%v", want, err)
		}
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Error("the cause of a joined error is lost")
	}
}

func TestManyErrorsAreCounted(t *testing.T) {
	dir := tree(t, map[string]string{"x.jsonl": strings.Repeat("bad\n", 250)})
	_, err := walk(t, dir, corpus.Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "and 150 more errors") {
		t.Errorf("got %.100v", err)
	}
}

func TestStopsAtOnce(t *testing.T) {
	dir := tree(t, map[string]string{"a.jsonl": "bad\n{\"text\":\"x\"}\n", "b.mbox": mbox2, "c": "x"})
	enough := errors.New("enough")
	for stopAt := 1; stopAt <= 4; stopAt++ {
		n := 0
		err := corpus.Walk(context.Background(), dir, corpus.Options{}, func(*corpus.Document) error {
			if n++; n == stopAt {
				return enough
			}
			return nil
		})
		if err != enough || n != stopAt {
			t.Errorf("stopped at %d: %d calls, %v", stopAt, n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := corpus.Walk(ctx, dir, corpus.Options{}, func(*corpus.Document) error { n++; cancel(); return nil })
	if err != context.Canceled || n != 1 {
		t.Errorf("canceled: %d calls, %v", n, err)
	}
}

func TestNothingFound(t *testing.T) {
	dir := tree(t, map[string]string{"empty/.hidden": "x", "maildir/cur/": "", "maildir/new/": "", "none.jsonl": "\n", "zero": ""})
	for path, format := range map[string]corpus.Format{
		"empty": corpus.Auto, "maildir": corpus.Auto, "none.jsonl": corpus.Auto, "zero": corpus.Mbox, "missing": corpus.Auto,
		"empty/.": corpus.Maildir,
	} {
		if got, err := walk(t, filepath.Join(dir, path), corpus.Options{Format: format}); err == nil || len(got) > 0 {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if got := corpus.Size(filepath.Join(dir, "missing"), corpus.Options{}); got != 0 {
		t.Errorf("Size of what is not there: %d", got)
	}
	if got, err := walk(t, filepath.Join(dir, "zero"), corpus.Options{}); err != nil || len(got) != 1 {
		t.Errorf("an empty file is an empty document: %v, %v", got, err)
	}
	if got, err := walk(t, filepath.Join(dir, "empty", ".hidden"), corpus.Options{}); err != nil || len(got) != 1 {
		t.Errorf("a hidden file that is named is read: %v, %v", got, err)
	}
}

func TestParseFormat(t *testing.T) {
	for f := corpus.Auto; f <= corpus.CSV; f++ {
		if got, err := corpus.ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	if _, err := corpus.ParseFormat("pdf"); err == nil || !strings.Contains(err.Error(), "maildir") {
		t.Errorf("pdf: %v", err)
	}
	if s := corpus.Format(-1).String(); s != "format -1" {
		t.Error(s)
	}
}

// The Path of a document of a file names it, whatever is wrong with others.
func TestWalkOne(t *testing.T) {
	dir := tree(t, map[string]string{
		"t.csv": "text\none\none\nbad,row\ntwo\n", "t.jsonl": "{\"text\":\"one\"}\nbad\n{\"text\":\"two\"}\n",
		"t.json": `[{"text":"one"},{"text":"two"}]`, "t.mbox": "From a\n" + mail + "\nFrom b\n" + mail, "x.txt:7": "one", "x.txt": "two",
	})
	for _, file := range []string{"t.csv", "t.jsonl", "t.json", "t.mbox", "x.txt:7"} {
		all := map[string]string{}
		_ = corpus.Walk(context.Background(), filepath.Join(dir, file), corpus.Options{}, func(d *corpus.Document) error {
			all[d.Path] = fmt.Sprintf("%d %q", d.Copy, d.Content)
			return nil
		})
		if len(all) == 0 {
			t.Errorf("%s: nothing read", file)
		}
		for path, want := range all {
			got := ""
			err := corpus.Walk(context.Background(), path, corpus.Options{}, func(d *corpus.Document) error {
				got += fmt.Sprintf("%d %q", d.Copy, d.Content)
				return nil
			})
			if err != nil || got != want {
				t.Errorf("%s: %s, want %s; %v", path, got, want, err)
			}
		}
	}
	for _, path := range []string{"t.csv:4", "t.csv:99", "t.jsonl:2", "x.txt:1", ".:1", "none:1", ":1"} {
		if got, err := walk(t, filepath.Join(dir, path), corpus.Options{}); err == nil {
			t.Errorf("%s: %v", path, got)
		}
	}
}
