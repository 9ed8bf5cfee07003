package regular

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Files and errors equal those of os.OpenFile.
func TestOpenFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	f, err := OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("text"); err != nil {
		t.Error(err)
	}
	if info, err := f.Stat(); err != nil || info.Mode() != 0o600 && os.PathSeparator == '/' || f.Name() != path {
		t.Errorf("%s: %v, %v", f.Name(), info, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "text" {
		t.Errorf("it has %q, %v", got, err)
	}
	for name, flag := range map[string]int{path: os.O_RDWR | os.O_CREATE | os.O_EXCL, path + "b": os.O_RDONLY, filepath.Join(path, "c"): os.O_RDONLY} {
		_, got := OpenFile(name, flag, 0o600)
		_, want := os.OpenFile(name, flag, 0o600)
		if e, ok := got.(*fs.PathError); !ok || got.Error() != want.Error() || e.Unwrap() != want.(*fs.PathError).Unwrap() {
			t.Errorf("%v, os.OpenFile: %v", got, want)
		}
	}
}
