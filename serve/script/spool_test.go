package script

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

// spooled asks a server whose backend is a spool.
func spooled(t *testing.T, folder string) (*Spool, func(request string) string) {
	t.Helper()
	s, err := NewSpool(folder)
	if err != nil {
		t.Fatal(err)
	}
	s.pause = time.Millisecond
	path := start(t, gate.Options{Backend: s})
	return s, func(request string) string { return say(t, "unix", path, request) }
}

// drain learns what a spool has, until the folder has only so many files.
func drain(t *testing.T, s *Spool, b backend.Backend, left int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		s.Drain(ctx, b, slog.New(slog.DiscardHandler))
		close(done)
	}()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if list, err := os.ReadDir(filepath.Join(s.beside.Name(), s.folder)); err != nil || len(list) == left {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the folder is not learned")
		}
	}
	cancel()
	<-done
}

// What was accepted is learned later, in order, by another process too; a backend that
// fails loses nothing.
func TestSpool(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "spool")
	_, say := spooled(t, folder)
	for _, request := range []string{
		request4("bob", "Subject: one\n\ntext\n", "learn", "spam"), request4("bob", "Subject: two\n\ntext\n", "learn", "spam"), request4("eve", "Subject: three\n\ntext\n", "learn", "nonsense"), request4("eve", "Subject: never\n\ntext\n", "learn", "ham"),
		request4("eve", "Subject: four\n\ntext\n", "learn", "ham"), request4("bob", "Subject: one\n\ntext\n", "learn", "ham"), request4("eve", "Subject: four\n\ntext\n", "forget"),
	} {
		if got := say(request); got != done {
			t.Fatalf("%q is answered with %q", request, got)
		}
	}
	for _, request := range []string{request4("bob", "Subject: one\n\ntext\n", "is", "spam"), request4("bob", "Subject: one\n\ntext\n", "classify"), request4("bob", "Subject: one\n\ntext\n", "learn")} {
		if got := say(request); got != failed {
			t.Errorf("%q is answered with %q", request, got)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "123.new-7"), nil, 0o600); err != nil { // of a process that was killed
		t.Fatal(err)
	}
	s, err := NewSpool(folder)
	if err != nil {
		t.Fatal(err)
	}
	s.pause = time.Millisecond
	back := &unwilling{fake: fake{learned: map[string]string{}}, times: 1}
	drain(t, s, back, 0)
	want := map[string]string{"bob one": "ham", "bob two": "spam"}
	if !maps.Equal(back.all(), want) {
		t.Errorf("learned %v, not %v", back.all(), want)
	}
}

// unwilling fails the first times that it is to learn, and always for one user, is busy once for one message, and
// refuses another.
type unwilling struct {
	fake
	times int
	user  string
	busy  bool // it was
}

func (u *unwilling) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if u.times--; u.times >= 0 || r.User == u.user {
		return "", errors.New("the disk is full")
	}
	if bytes.Contains(r.Message, []byte("two")) && !u.busy {
		u.busy = true
		return "", backend.ErrBusy
	}
	if bytes.Contains(r.Message, []byte("never")) {
		return "", backend.ErrRefused
	}
	return u.fake.Learn(ctx, r, class)
}

// A user whose requests fail holds up nobody else's, and hers are learned in order once they no longer fail.
func TestSpoolOneFails(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, say := spooled(t, folder)
	for _, request := range []string{
		request4("eve", "Subject: one\n\ntext\n", "learn", "ham"), request4("bob", "Subject: two\n\ntext\n", "learn", "spam"),
		request4("eve", "Subject: one\n\ntext\n", "learn", "spam"), request4("bob", "Subject: three\n\ntext\n", "learn", "ham"),
	} {
		if got := say(request); got != done {
			t.Fatalf("%q is answered with %q", request, got)
		}
	}
	back := &unwilling{fake: fake{learned: map[string]string{}}, user: "eve"}
	drain(t, s, back, 2)
	want := map[string]string{"bob two": "spam", "bob three": "ham"}
	if !maps.Equal(back.all(), want) {
		t.Errorf("while eve's fail: learned %v, not %v", back.all(), want)
	}
	back.user = "nobody"
	drain(t, s, back, 0)
	want["eve one"] = "spam"
	if !maps.Equal(back.all(), want) {
		t.Errorf("afterwards: learned %v, not %v", back.all(), want)
	}
}

// What waits behind a request that fails is read once, and not in each round.
func TestSpoolWaitsUnread(t *testing.T) {
	t.Parallel()
	s, say := spooled(t, t.TempDir())
	say(request4("eve", "Subject: one\n\ntext\n", "learn", "ham"))
	say(request4("eve", "Subject: two\n\ntext\n", "learn", "ham"))
	back, log := &unwilling{fake: fake{learned: map[string]string{}}, user: "eve", busy: true}, slog.New(slog.DiscardHandler)
	list, err := os.ReadDir(filepath.Join(s.beside.Name(), s.folder))
	if err != nil || len(list) != 2 || len(s.round(t.Context(), back, log)) != 1 {
		t.Fatal(list, err)
	}
	second := filepath.Join(filepath.Join(s.beside.Name(), s.folder), list[1].Name())
	if err := os.WriteFile(second, encode(backend.Request{User: "bob", Message: []byte("Subject: two\n\ntext\n")}, []string{"learn", "spam"}), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.round(t.Context(), back, log); len(back.all()) > 0 {
		t.Errorf("the file that waits was read again: learned %v", back.all())
	}
	back.user = ""
	if s.round(t.Context(), back, log); len(back.all()) != 2 {
		t.Errorf("afterwards: learned %v", back.all())
	}
}

// told is what a log writes.
type told chan string

func (t told) Write(p []byte) (int, error) {
	t <- string(p)
	return len(p), nil
}

// A folder that cannot be read is told each time that this begins.
func TestSpoolFolderGone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "spool")
	s, say := spooled(t, folder)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	errs := make(told, 100)
	go s.Drain(ctx, &unwilling{fake: fake{learned: map[string]string{}}}, slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelError})))
	for range 2 {
		if err := os.Rename(folder, folder+".away"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-errs:
		case <-ctx.Done():
			t.Fatal("nothing is told")
		}
		if err := os.Rename(folder+".away", folder); err != nil {
			t.Fatal(err)
		}
		say(request4("bob", "Subject: one\n\ntext\n", "learn", "spam"))
		for list := []os.DirEntry{nil}; len(list) > 0 && ctx.Err() == nil; {
			list, _ = os.ReadDir(folder)
		}
	}
}

// Who may write to the folder of the database cannot have files made, read or removed elsewhere.
func TestSpoolLink(t *testing.T) {
	t.Parallel()
	in, out := t.TempDir(), t.TempDir()
	folder := filepath.Join(in, "mail.spool")
	other := filepath.Join(out, "1")
	if err := os.WriteFile(other, encode(backend.Request{Message: []byte("x")}, []string{"learn", "spam"}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, folder); err != nil {
		t.Skip(err)
	}
	if _, err := NewSpool(folder); err == nil {
		t.Error("it is in the folder that a link leads to")
	}
	os.Remove(folder)
	s, err := NewSpool(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder, folder+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, folder); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Learn(t.Context(), backend.Request{Message: []byte("y")}, "spam"); err == nil {
		t.Error("what is taught is acknowledged")
	}
	if failed := s.round(t.Context(), &fake{learned: map[string]string{}}, slog.New(slog.DiscardHandler)); failed[""] == nil {
		t.Error("nothing is told")
	}
	list, err := os.ReadDir(out)
	if err != nil || len(list) != 1 || list[0].Name() != "1" {
		t.Errorf("there is %v, %v", list, err)
	}
}

// A folder that is full refuses, and takes again once something was learned.
func TestSpoolFull(t *testing.T) {
	t.Parallel()
	s, say := spooled(t, t.TempDir())
	big := filepath.Join(filepath.Join(s.beside.Name(), s.folder), "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxSpooled); err != nil {
		t.Skip(err)
	}
	s.bytes = maxSpooled
	if got := say(request4("bob", "Subject: one\n\ntext\n", "learn", "spam")); got != failed {
		t.Errorf("a full spool answers %q", got)
	}
	if err := os.Remove(big); err != nil {
		t.Fatal(err)
	}
	if got := say(request4("bob", "Subject: one\n\ntext\n", "learn", "spam")); got != done {
		t.Errorf("a spool with room again answers %q", got)
	}
	// The only file is as small as many that would fill the disk.
	if _, err := s.count(); err != nil || s.bytes < 4096 {
		t.Errorf("a file counts as %d bytes, %v", s.bytes, err)
	}
	if _, err := s.count(); err != nil || s.keep(backend.Request{}, "forget") != nil || s.bytes < 2*4096 {
		t.Errorf("two files count as %d bytes, %v", s.bytes, err)
	}
}

// What is written is read, and no file makes the reader panic.
func FuzzSpool(f *testing.F) {
	f.Add([]byte("true\nVERSION\tscript\t4\t0\nenv_USER=a\x01tb\n-\nlearn\nspam\n\nSubject: x\n\n\x00"), "bob", "spam", true)
	f.Fuzz(func(t *testing.T, text []byte, user, class string, cut bool) {
		if _, err := decode(text); err != nil && !errors.Is(err, errRequest) {
			t.Error(err)
		}
		if len(user) > maxLine/3 || len(class) > maxLine/3 || class == "" {
			return
		}
		r, err := decode(encode(backend.Request{User: user, Message: text, Cut: cut}, []string{"learn", class}))
		if err != nil || r.User != user || r.Cut != cut || !bytes.Equal(r.Message, text) || len(r.args) != 2 || r.args[1] != class {
			t.Errorf("%q, %q, %v came back as %+v, %v", user, class, cut, r, err)
		}
	})
}

// staying makes the file of a request one that cannot be removed.
type staying struct {
	fake
	path string
}

func (b *staying) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if err := os.Remove(b.path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(b.path, "file"), 0o700); err != nil {
		return "", err
	}
	return b.fake.Learn(ctx, r, class)
}

// A request whose file stays is learned again, so later ones of its user wait.
func TestSpoolFileStays(t *testing.T) {
	t.Parallel()
	s, say := spooled(t, t.TempDir())
	say(request4("eve", "Subject: one\n\ntext\n", "learn", "ham"))
	list, err := os.ReadDir(filepath.Join(s.beside.Name(), s.folder))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	back := &staying{fake{learned: map[string]string{}}, filepath.Join(filepath.Join(s.beside.Name(), s.folder), list[0].Name())}
	waiting := map[string]bool{}
	if err := s.learn(t.Context(), back, slog.New(slog.DiscardHandler), list[0].Name(), waiting); err == nil || !waiting["eve"] {
		t.Errorf("the error is %v, and waiting are %v", err, waiting)
	}
}

// A request that was set aside is tried again by the next start.
func TestSpoolTriesAsideAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, say := spooled(t, folder)
	if got := say(request4("bob", "Subject: one\n\ntext\n", "learn", "ham")); got != done {
		t.Fatalf("answered with %q", got)
	}
	list, err := os.ReadDir(folder)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	s.rename(list[0].Name(), list[0].Name()+markAside)
	if s, err = NewSpool(folder); err != nil {
		t.Fatal(err)
	}
	s.pause = time.Millisecond
	back := &fake{learned: map[string]string{}}
	drain(t, s, back, 0)
	if want := map[string]string{"bob one": "ham"}; !maps.Equal(back.all(), want) {
		t.Errorf("learned %v, not %v", back.all(), want)
	}
}
