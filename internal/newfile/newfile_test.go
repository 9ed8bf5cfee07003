package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
)

func namesIn(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func write(t *testing.T, path, text string) fs.FileInfo {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func create(t *testing.T, path, text string) *File {
	t.Helper()
	f, err := Create(path, ".new-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return f
}

// A new file takes the place of the old one, which keeps another name, and nothing
// else stays in the folder.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	old := write(t, path, "old")
	write(t, path+".old", "older")
	f := create(t, path, "new")
	if info, err := os.Stat(f.Path()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := f.Like(old); err != nil {
		t.Fatal(err)
	}
	aside, err := f.KeepAside(old, ".old")
	if err != nil || aside != path+".old-2" {
		t.Fatalf("%q, %v", aside, err)
	}
	if again, err := f.KeepAside(old, ".old"); err != nil || again != aside {
		t.Errorf("%q, %v: it has that name already", again, err)
	}
	if err := f.Replace(old); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if info, err := os.Stat(path); err != nil || info.Mode() != old.Mode() || !os.SameFile(f.info, info) {
		t.Errorf("%v, %v", info, err)
	}
	for name, want := range map[string]string{path: "new", aside: "old", path + ".old": "older"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if got := namesIn(t, dir); len(got) != 3 {
		t.Errorf("in the folder: %v", got)
	}
}

// A file whose name somebody else has, or whose place another has taken, changes
// nothing.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	old := write(t, path, "old")
	f := create(t, path, "new")
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	other := write(t, path, "other")
	if err := f.Replace(old); !errors.Is(err, ErrChanged) {
		t.Errorf("in place of another: %v", err)
	}
	if _, err := f.KeepAside(old, ".old"); !errors.Is(err, ErrChanged) {
		t.Errorf("another is kept: %v", err)
	}
	temporary := f.Path()
	if err := os.Rename(temporary, temporary+"x"); err != nil {
		t.Fatal(err)
	}
	write(t, temporary, "not ours")
	if err := f.Replace(other); !errors.Is(err, ErrChanged) {
		t.Errorf("with another of its name: %v", err)
	}
	if err := f.Link(); !errors.Is(err, ErrChanged) {
		t.Errorf("with another of its name: %v", err)
	}
	f.Discard()
	want := []string{"a", "a.moved", filepath.Base(temporary), filepath.Base(temporary) + "x"}
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("in the folder: %v, want %v", got, want)
	}
}

// What nobody has any more is removed, and nothing else.
func TestRemoveLeftOver(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are not known to be left over here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	used := create(t, path, "")
	write(t, path+".new-17", "left over")
	write(t, path+".copy-18", "left over")
	write(t, path+".other-17", "")
	write(t, path+".new-17x", "")
	write(t, path+".new-", "")
	write(t, filepath.Join(dir, "b.new-17"), "")
	if err := os.Symlink(path+".new-", path+".new-19"); err != nil {
		t.Fatal(err)
	}
	RemoveLeftOver(path, ".new-", ".copy-")
	want := []string{"a.new-", "a.new-17x", "a.new-19", filepath.Base(used.Path()), "a.other-17", "b.new-17"}
	slices.Sort(want)
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("in the folder: %v, want %v", got, want)
	}
	again, err := used.Again()
	if err != nil {
		t.Fatal(err)
	}
	used.File.Close()
	RemoveLeftOver(path, ".new-")
	if _, err := os.Lstat(used.Path()); err != nil {
		t.Errorf("removed although a second descriptor has it: %v", err)
	}
	again.Close()
	RemoveLeftOver(path, ".new-")
	if _, err := os.Lstat(used.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left although nobody has it: %v", err)
	}
}

// A file is not taken for left over in the moment before it is locked.
func TestCreateBesideRemoval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	var removing sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		removing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					RemoveLeftOver(path, ".new-")
				}
			}
		})
	}
	for range 1000 {
		f, err := Create(path, ".new-")
		if err == nil {
			err = f.Link()
			f.Discard()
		}
		if err != nil {
			t.Errorf("%v", err)
			break
		}
		os.Remove(path)
	}
	close(done)
	removing.Wait()
}
