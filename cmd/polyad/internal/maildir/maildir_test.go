package maildir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

func box(t *testing.T, files ...string) (*Box, string) {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"", ".Work", "Plain/Sub", ".Not-a-folder"} {
		for _, sub := range []string{"new", "cur", "tmp"} {
			if dir == ".Not-a-folder" && sub != "tmp" {
				continue
			}
			if err := os.MkdirAll(filepath.Join(root, dir, sub), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range files {
		write(t, filepath.Join(root, f), f)
	}
	return New(root), root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func keys(t *testing.T, b *Box, folder string) string {
	t.Helper()
	list, err := b.List(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range list {
		key := c.Key
		if c.Read {
			key += "*"
		}
		all = append(all, key)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// A file in the place of a part of a folder is the matter of that folder alone.
func TestNoFolder(t *testing.T) {
	b, root := box(t, "cur/1.a")
	for _, path := range []string{".Work/new", "Plain/Sub/cur"} {
		if err := os.Remove(filepath.Join(root, path)); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, path), "no folder")
		if _, err := b.List(t.Context(), filepath.Dir(path)); !errors.Is(err, watching.ErrFolder) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	b, root := box(t, "new/1.a", "cur/2.b:2,", "cur/3.c:2,S", "cur/4.d:2,FT", "cur/5.e:2,D", "cur/6.f:1,old", "cur/7.g:2,R", "cur/.8", "tmp/9")
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "cur", "10.link")); err != nil {
		t.Fatal(err)
	}
	if got, want := keys(t, b, "."), "1.a 2.b 3.c* 6.f 7.g*"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := os.Rename(filepath.Join(root, "new/1.a"), filepath.Join(root, "cur/1.a:2,S")); err != nil {
		t.Fatal(err)
	}
	if got, want := keys(t, b, "."), "1.a* 2.b 3.c* 6.f 7.g*"; got != want {
		t.Errorf("after a change: %q, want %q", got, want)
	}
	if got := keys(t, b, ".Gone"); got != "" {
		t.Errorf("a folder that is not there has %q", got)
	}
	folders, err := New(root).Folders(t.Context())
	if want := []string{".", ".Work", "Plain/Sub"}; err != nil || !slices.Equal(folders, want) {
		t.Errorf("folders %q, %v, want %q", folders, err, want)
	}
}

// A message keeps its name and its flags, and stays in new or in cur, although it gets other
// flags while it is moved. Nothing is overwritten.
func TestMove(t *testing.T) {
	t.Parallel()
	b, root := box(t, "new/1.a", "cur/2.b,S=7:2,FS", "cur/3.c:2,", "cur/4.d:2,", ".Work/cur/4.d:2,S")
	keys(t, b, ".")
	if err := os.Rename(filepath.Join(root, "cur/3.c:2,"), filepath.Join(root, "cur/3.c:2,P")); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"1.a", "2.b,S=7", "3.c"} {
		if err := b.Move(t.Context(), ".", key, ".Work"); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, want := range []string{"new/1.a", "cur/2.b,S=7:2,FS", "cur/3.c:2,P", "cur/4.d:2,S"} {
		if _, err := os.Stat(filepath.Join(root, ".Work", want)); err != nil {
			t.Error(err)
		}
	}
	if err := b.Move(t.Context(), ".", "4.d", ".Work"); !errors.Is(err, watching.ErrUnusable) {
		t.Errorf("over another: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, ".Work/cur/4.d:2,S")); err != nil || string(text) != ".Work/cur/4.d:2,S" {
		t.Errorf("%q, %v", text, err)
	}
	if err := b.Move(t.Context(), ".", "5.e", ".Work"); !errors.Is(err, watching.ErrGone) {
		t.Errorf("what is gone: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, ".Work")); err != nil {
		t.Fatal(err)
	}
	if err := b.Move(t.Context(), ".", "4.d", ".Work"); !errors.Is(err, watching.ErrFolder) || strings.Contains(err.Error(), "4.d") {
		t.Errorf("to a folder that is gone: %v", err)
	}
	if got := keys(t, b, "."); got != "4.d" {
		t.Errorf("left: %q", got)
	}
}

func TestRenameUnique(t *testing.T) {
	t.Parallel()
	_, root := box(t, "cur/1.a", "cur/2.b")
	at := func(name string) string { return filepath.Join(root, "cur", name) }
	if err := renameUnique(at("1.a"), at("2.b")); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if err := renameUnique(at("1.a"), at("3.c")); err != nil {
		t.Error(err)
	}
	if err := renameUnique(at("1.a"), at("4.d")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	b, root := box(t, "cur/1.a:2,", "cur/2.b:2,", "cur/3.c:2,")
	keys(t, b, ".")
	if raw, err := b.Read(t.Context(), ".", "1.a"); string(raw) != "cur/1.a:2," || err != nil {
		t.Errorf("%q, %v", raw, err)
	}
	if err := os.Truncate(filepath.Join(root, "cur/2.b:2,"), watching.MaxMessage+1); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(t.Context(), ".", "2.b"); !errors.Is(err, watching.ErrUnusable) {
		t.Errorf("a long one: %v", err)
	}
	// Somebody puts a link in its place.
	if err := errors.Join(os.Remove(filepath.Join(root, "cur/3.c:2,")), os.Symlink("/etc/passwd", filepath.Join(root, "cur/3.c:2,"))); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(t.Context(), ".", "3.c"); err == nil {
		t.Error("a link is read")
	}
}

// What is waited for is told of, and else the time is up.
func TestWait(t *testing.T) {
	t.Parallel()
	b, root := box(t)
	defer b.Close()
	keys(t, b, ".")
	keys(t, b, ".Work")
	if err := b.Wait(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
	done := make(chan error)
	go func() { done <- b.Wait(t.Context(), time.Hour) }()
	write(t, filepath.Join(root, ".Work/new/1.a"), "x")
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := b.Wait(t.Context(), time.Hour); err != nil {
		t.Errorf("a change that was not listed: %v", err)
	}
	keys(t, b, ".Work")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- b.Wait(ctx, time.Hour) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := b.Wait(t.Context(), time.Millisecond); err != nil {
		t.Error(err)
	}
}

// Changes of a folder that get the same time, as where that has no fractions of a second, are seen,
// and messages are listed although another machine's clock, or ours, is wrong.
func TestSameTime(t *testing.T) {
	t.Parallel()
	b, root := box(t, "new/1.a")
	for _, at := range []time.Time{time.Now().Truncate(time.Second), time.Now().Add(time.Hour)} {
		stamp := func() {
			for _, dir := range dirs {
				if err := os.Chtimes(filepath.Join(root, dir), at, at); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, name := range []string{"2.b", "3.c"} {
			os.Remove(filepath.Join(root, "new", name))
		}
		stamp()
		if got := keys(t, b, "."); got != "1.a" {
			t.Errorf("at %v: %q", at, got)
		}
		if time.Since(at) > coarsest {
			t.Skip("the machine is slow")
		}
		write(t, filepath.Join(root, "new/2.b"), "x")
		write(t, filepath.Join(root, "new/3.c"), "x")
		stamp()
		if err := b.Wait(t.Context(), time.Hour); err != nil {
			t.Error(err)
		}
		if got := keys(t, b, "."); got != "1.a 2.b 3.c" {
			t.Errorf("at %v after a change: %q", at, got)
		}
	}
}
