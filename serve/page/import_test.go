package page_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/serve/internal/gate"
	admin "github.com/polya-classifier/polya/serve/page"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
)

// upload sends a form with files, pairs of names and contents, and fields.
func (s *site) upload(path string, files []string, fields ...string) (int, string) {
	s.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	for i := 0; i < len(files); i += 2 {
		part, _ := w.CreateFormFile("file", files[i])
		_, _ = io.WriteString(part, files[i+1])
	}
	_ = w.Close()
	r, _ := http.NewRequest("POST", s.base+path, &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	reply, body := s.do(r)
	return reply.StatusCode, body
}

// imported waits until the last import has ended, and returns the screen that says so.
func (s *site) imported() string {
	s.t.Helper()
	for {
		code, body := s.get("/import")
		if s.has(code, body); !strings.Contains(body, "Learning…") {
			return body
		}
		time.Sleep(time.Millisecond)
	}
}

// classes returns the documents of each class.
func (s *site) classes() string {
	s.t.Helper()
	h, err := admin.New(s.engine).Statistics(context.Background(), "")
	if err != nil {
		s.t.Fatal(err)
	}
	var list []string
	for _, c := range h.Classes {
		if c.Documents > 0 {
			list = append(list, fmt.Sprint(c.Name, " ", c.Documents))
		}
	}
	return strings.Join(list, ", ")
}

func mbox(topic string, from, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "From ann@example.org Thu Jan  1 00:00:00 2026\n%s\n\n", letter(topic, from+i))
	}
	return b.String()
}

// members are the files of an archive, in pairs of names and contents.
var members = []string{
	"Mail/.Work.R&AOk-sultats/cur/1:2,S", string(letter("result", 1)), "Mail/.Work.R&AOk-sultats/new/2", string(letter("result", 2)),
	"Mail/.Work.R&AOk-sultats/tmp/3", string(letter("result", 3)), "Maildir/cur/4:2,", string(letter("inbox", 4)),
	"boxes/Travel.mbox", mbox("travel", 5, 3), "letters/8.eml", string(letter("letter", 8)), "../../letters/9.eml", string(letter("letter", 9)),
	"photo.jpg", "\xff\xd8\xff\xe0", ".hidden/.x", "x", "letters/empty.eml", "",
}

func tarOf(t *testing.T, members ...string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "letters/passwd.eml", Linkname: "/etc/passwd"})
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, members[i+1])
	}
	if err := cmp.Or(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipOf(t *testing.T, members ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(f, members[i+1])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// On an empty page mailboxes and archives are learned as their folders, and undone as one source.
func TestImport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for name, archive := range map[string]string{"mail.tar.gz": tarOf(t, members...), "mail.zip": zipOf(t, members...)} {
		s := startWith(t, api.Options{}, 0).signIn()
		s.has(s.upload("/import", []string{name, archive}))
		body := s.imported()
		s.has(200, body, "8 messages learned", "2 files left out: photo.jpg, empty.eml.", "import "+name)
		if got, want := s.classes(), "INBOX 1, Travel 3, Work.Résultats 2, letters 2"; got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
		source := strings.Split(strings.Split(body, "<h2>")[1], "</h2>")[0]
		path := "/ledger?source=" + url.QueryEscape(source)
		code, body := s.post(path, "all", "1")
		s.has(code, body, "Undo 8 documents?")
		code, body = s.post(path, "all", "1", "sure", "8")
		s.has(code, body, "Undone: 8 documents")
	}
	apple := string(letter("bill", 9))
	programs := []string{ // Thunderbird, Apple Mail, Google Takeout, and a Maildir
		"Local Folders/Work", mbox("work", 1, 2), "Local Folders/Work.msf", "x", "Local Folders/Trips.sbd/Italy.msf", "x", "Local Folders/Trips.sbd/Italy", mbox("trip", 1, 3),
		"V10/Bills.mbox/1234/Data/Messages/1.emlx", fmt.Sprintf("%d\n%s<plist/>", len(apple), apple), "Export/Lists.mbox/mbox", mbox("list", 1, 1),
		"Local Folders/Trash", mbox("trash", 1, 1), "Local Folders/Trash.msf", "x", "V10/Bills.mbox/1234/Data/Attachments/1/2/x.eml", apple,
		"Takeout/Mail/Drafts.mbox", mbox("draft", 1, 1), "Takeout/Mail/Settings/Filters.json", "{}", "Maildir/.Sent.2025/cur/1", string(letter("sent", 1)),
	}
	for name, archive := range map[string]string{"programs.tar.gz": tarOf(t, programs...), "programs.zip": zipOf(t, programs...)} {
		s := startWith(t, api.Options{}, 0).signIn()
		s.has(s.upload("/import", []string{name, archive}))
		s.has(200, s.imported(), "7 messages learned, 5 files left out: ")
		if got, want := s.classes(), "Bills 1, Lists 1, Trips.Italy 3, Work 2"; got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
	s := startWith(t, api.Options{}, 0).signIn()
	s.has(s.upload("/import", []string{"Work.txt", mbox("work", 1, 2), "Sent", mbox("sent", 1, 1), "Sent.msf", "x"}))
	s.has(200, s.imported(), "2 messages learned, 1 file left out: Sent.")
	if got, want := s.classes(), "Work 2"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	s = startWith(t, api.Options{}, 0).signIn()
	s.has(s.upload("/import", []string{"Old Receipts.mbox", mbox("receipt", 1, 300)}))
	s.imported()
	s.has(s.upload("/import", []string{"Old Receipts.mbox", mbox("receipt", 300, 2), "Double.mbox", mbox("double", 1, 50), "Twice.mbox", mbox("double", 1, 50)}))
	s.has(200, s.imported(), "101 messages learned, 1 known before")
	s.has(s.upload("/import", []string{"a.eml", string(letter("bill", 1)), "b.eml", string(letter("bill", 2))}, "class", "Bills"))
	s.imported()
	if got, want := s.classes(), "Bills 2, Old Receipts 301, Twice 50"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	code, body := s.get("/well")
	s.has(code, body, "No answers since then")
	if code, body := s.upload("/import", []string{"a.eml", string(letter("bill", 1))}); code != 400 || !strings.Contains(body, "name the class of these messages") {
		t.Errorf("a message without a class: %d", code)
	}
	if code, _ := s.upload("/import", []string{"1.M2P3:2,S", string(letter("bill", 1))}); code != 400 {
		t.Errorf("a message of a Maildir without a class: %d", code)
	}
	if code, body := s.upload("/import", []string{"a.zip", "PK no archive"}); code != 200 || !strings.Contains(s.imported(), "It has ended early: the file cannot be read: zip:") {
		t.Errorf("no archive: %d %s", code, body)
	}
	if code, _ := s.upload("/import", nil); code != 400 {
		t.Errorf("no file: %d", code)
	}
	if code, _ := s.post("/import", "class", "x"); code != 400 {
		t.Errorf("no form of files: %d", code)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		for _, f := range left {
			if strings.HasPrefix(f.Name(), "polya-") {
				t.Errorf("%s is left", f.Name())
			}
		}
	}
}

// Who may not teach sends nothing, and nothing of it is read.
func TestImportForbidden(t *testing.T) {
	t.Parallel()
	s := startWith(t, api.Options{Options: gate.Options{MayTeach: func(access.Caller) bool { return false }}}, 1)
	s.post("/sign-in", "token", token)
	if code, _ := s.upload("/import", []string{"a.mbox", mbox("receipt", 1, 3)}); code != 403 {
		t.Errorf("code %d", code)
	}
	if code, _ := s.get("/backup"); code != 403 {
		t.Errorf("backup: code %d", code)
	}
}

// A folder that a mail program calls Junk teaches the class that answers are about. The name of a
// folder may have a comma.
func TestImportJunk(t *testing.T) {
	t.Parallel()
	s := startWith(t, api.Options{}, 0).signIn()
	s.upload("/import", []string{"Junk", mbox("casino", 1, 3)})
	s.imported()
	s.upload("/import", []string{"Junk", mbox("casino", 4, 2)}, "class", "Junk")
	s.imported()
	s.upload("/import", []string{"Smith, John.mbox", mbox("smith", 1, 2)})
	s.imported()
	if got := s.classes(); got != "Junk 2, Smith, John 2, spam 3" {
		t.Error(got)
	}
}

// Fields beside the files are few, also if nothing is in them.
func TestImportFields(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	fields := make([]string, 2*8_000)
	for i := range fields {
		fields[i] = strings.Repeat("nothing!", 1-i%2)
	}
	if code, body := s.upload("/import", []string{"a.mbox", mbox("receipt", 1, 3)}, fields...); code != http.StatusRequestEntityTooLarge {
		t.Errorf("code %d: %s", code, body)
	}
}

// A backup that is downloaded is restored on a page that has learned nothing, and on no other.
func TestBackup(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	r, _ := http.NewRequest("GET", s.base+"/backup", nil)
	reply, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	backup, err := io.ReadAll(reply.Body)
	if err != nil || !strings.Contains(reply.Header.Get("Content-Disposition"), ".polya") {
		t.Fatalf("%v, %v", err, reply.Header)
	}
	fresh := startWith(t, api.Options{}, 0).signIn()
	if code, body := fresh.upload("/import", []string{"x", "no database"}, "do", "restore"); code != 400 || !strings.Contains(body, "no backup") {
		t.Errorf("no backup: %d %s", code, body)
	}
	if code, body := fresh.upload("/import", []string{"x", string(backup[:len(backup)/2])}, "do", "restore"); code == 200 {
		t.Errorf("half a backup: %d %s", code, body)
	}
	if code, _ := fresh.get("/backup"); code != 404 {
		t.Errorf("a backup of nothing: %d", code)
	}
	_, body := fresh.post("/ask", "message", string(letter("casino", 1)))
	kept, id := between(body, `name="kept" value="`, `"`), between(body, `name="id" value="`, `"`)
	code, body := fresh.post("/ask", "kept", kept, "id", id, "teach", "ham")
	fresh.has(code, body, "Taught")
	fresh.has(fresh.post("/ask", "kept", kept, "revision", found(revisions, body)[0], "undo", "1"))
	if code, _ := fresh.post("/ask", "kept", kept, "revision", id, "undo", "1"); code != 400 {
		t.Errorf("a revision that is none: %d", code)
	}
	code, body = fresh.upload("/import", []string{"mail.polya", string(backup)}, "do", "restore")
	fresh.has(code, body, "The backup is restored.", "Download a backup")
	if got := fresh.classes(); got != "ham 12, spam 12" {
		t.Errorf("restored: %s", got)
	}
	if code, _ := fresh.upload("/import", []string{"x", string(backup)}, "do", "restore"); code != 409 {
		t.Errorf("restored over what was learned: %d", code)
	}
	code, body = fresh.post("/ask", "message", string(letter("casino", 1)))
	fresh.has(code, body, "Taught as spam by test")
}

// A sound backup from which the daemon could not answer or learn is refused, and the page goes on.
func TestRestoreUnsuited(t *testing.T) {
	t.Parallel()
	s := startWith(t, api.Options{}, 0).signIn()
	for name, spec := range map[string]string{"polya-5": "polya-5 lang=auto stem=auto stop=off ngram=1 min=2", "log": tokenize.DefaultSpec} {
		path := filepath.Join(t.TempDir(), "backup.polya")
		db, err := store.Open(path, store.Options{Analyzer: spec})
		if err == nil && name == "log" {
			err = db.Follow(store.Stream{Name: "mail", Created: time.Now()}, 1)
		}
		if err = cmp.Or(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		backup, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if code, body := s.upload("/import", []string{"x", string(backup)}, "do", "restore"); code != 409 || !strings.Contains(body, "does not suit") {
			t.Errorf("%s: %d %s", name, code, body)
		}
	}
	s.has(s.upload("/import", []string{"Work.mbox", mbox("work", 1, 2)}))
	s.imported()
	if got := s.classes(); got != "Work 2" {
		t.Errorf("afterwards: %s", got)
	}
}

// Where no temporary file can be made the page says what to set.
func TestNoTemporary(t *testing.T) {
	s := startWith(t, api.Options{}, 1).signIn()
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	if code, body := s.upload("/import", []string{"Work.mbox", mbox("work", 1, 2)}); code != 507 || !strings.Contains(body, "TMPDIR") {
		t.Errorf("import: %d %s", code, body)
	}
	if code, body := s.get("/backup"); code != 507 || !strings.Contains(body, "TMPDIR") {
		t.Errorf("backup: %d %s", code, body)
	}
}

// What is in a small archive is read within little memory, however long its messages are.
func TestImportLarge(t *testing.T) {
	raced.Skip(t)
	s := startWith(t, api.Options{}, 0).signIn()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("letters/large.eml")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(letter("large", 1))
	for range 100 {
		_, _ = f.Write(bytes.Repeat([]byte("large letter\n"), 1<<20/13))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.has(s.upload("/import", []string{"mail.zip", b.String()}))
	s.has(200, s.imported(), "1 message learned")
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 300 {
		t.Errorf("%d MiB were allocated for a message of 100 MiB", took)
	}
}
