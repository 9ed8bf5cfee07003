package command

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each of several errors is a line, however they were joined; an error of two causes is one.
func TestComplainEach(t *testing.T) {
	t.Parallel()
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.Join(errors.Join(a, b), c), "p: a\np: b\np: c\n"},
		{errors.Join(errors.Join(a, b)), "p: a\np: b\n"},
		{errors.Join(a, fmt.Errorf("%w: %w", b, c)), "p: a\np: b: c\n"},
		{fmt.Errorf("%w: %w", b, c), "p: b: c\n"},
		{c, "p: c\n"},
		{nil, ""},
	} {
		var said strings.Builder
		p := New("p", embed.FS{})
		p.Stderr = &said
		if code := p.Exit(p.ComplainEach(test.err)); said.String() != test.want || (code == Yes) != (test.err == nil) {
			t.Errorf("%v: %q, %d", test.err, &said, code)
		}
	}
}

// A new file has its name once it is complete: a process that is killed leaves no half of it. One that is there,
// and a link that leads nowhere, stay.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	p := New("p", embed.FS{})
	p.Stdout = &strings.Builder{}
	path := filepath.Join(t.TempDir(), "new", "settings.toml")
	text := make([]byte, 16<<20)
	written := make(chan error, 1)
	go func() { written <- p.WriteNew(path, text, 0o644) }()
	for writing := true; writing; {
		select {
		case err := <-written:
			if writing = false; err != nil {
				t.Fatal(err)
			}
		default:
		}
		if info, err := os.Stat(path); err == nil && (info.Size() != int64(len(text)) || info.Mode() != 0o644) {
			t.Fatalf("it is there with %d bytes of %d, mode %v", info.Size(), len(text), info.Mode())
		}
	}
	if err := os.Symlink("nowhere", path+".link"); err != nil {
		t.Skip(err)
	}
	for _, there := range []string{path, path + ".link"} {
		if err := p.WriteNew(there, nil, 0o644); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("%s: %v", there, err)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 2 {
		t.Errorf("in the folder are %v, %v", list, err)
	}
}
