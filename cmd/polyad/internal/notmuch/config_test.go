package notmuch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The configuration that init writes is complete but for the tags, of which it lists those
// that a person has set.
func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "polya", "notmuch.toml")
	tags := []string{"family", "inbox", `new "bills"\x`, "unread"}
	if err := write(path, tags, []string{"12", "90", "3", "7"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "tags: want the tags") {
		t.Errorf("without tags: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "\n    # ", "\n    ")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Tags, []string{"family", `new "bills"\x`}) || c.Precision != .95 || c.New != "tag:new" {
		t.Errorf("%+v", c)
	}
	if !filepath.IsAbs(c.Database) {
		t.Errorf("database at %s", c.Database)
	}
	if err := write(path, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("written over: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`tags = ["-a"]`:                               "begins with no -",
		`tags = [""]`:                                 "not empty",
		`tags = ["a"]` + "\nthen=[\"new\"]":           "then: \"new\": want a tag with + or -",
		`tags = ["a"]` + "\nthen=[\"-a\"]":            "polya decides on that tag",
		`tags = ["a"]` + "\nprecision=1.0":            "2: precision: 1",
		`tags = ["a"]` + "\nnew=\" \"":                "new: want a query",
		`tag = ["a"]`:                                 "did you mean tags?",
		`tags = ["` + strings.Repeat("a", 201) + `"]`: "longer than 200 bytes",
	} {
		path := filepath.Join(t.TempDir(), "notmuch.toml")
		if err := os.WriteFile(path, []byte(text+"\ndatabase = \"x\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	if _, err := program("polya-no-such-program").output(ctx, nil, "new"); err == nil || err.Error() != "polya-no-such-program: no such program" {
		t.Error(err)
	}
}

func TestShell(t *testing.T) {
	t.Parallel()
	if got, want := shell([]string{"/usr/bin/polya", "--config", "/home/o'neil/a b"}), `/usr/bin/polya --config '/home/o'\''neil/a b'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Messages lie in threads within threads, as notmuch-show(1) and devel/schemata of notmuch
// describe them.
func TestParse(t *testing.T) {
	t.Parallel()
	const out = `[[[{"id": "a@b", "match": true, "filename": ["/m/1", "/m/2"], "headers": {"Subject": "{"}, "tags": ["x", "y z"]},
		[[null, [[{"filename": "/m/3", "id": "c\"d", "tags": []}, []]]]]]], [[{"id": "two\nlines", "tags": []}, []]]]`
	var got []message
	if err := parse(strings.NewReader(out), func(m message) { got = append(got, m) }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].ID != "a@b" || !slices.Equal(got[0].Files, []string{"/m/1", "/m/2"}) || !slices.Equal(got[0].Tags, []string{"x", "y z"}) ||
		got[1].ID != `c"d` || !slices.Equal(got[1].Files, []string{"/m/3"}) {
		t.Errorf("%+v", got)
	}
	deep := strings.Repeat("[", 5000) + `{"id":"a"}` + strings.Repeat("]", 5000)
	if err := parse(strings.NewReader(deep), func(message) {}); err != nil {
		t.Errorf("a deep thread: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`[[[{"id": "a@b", "filename": ["/m/1"], "tags": ["x"]}, []]]]`)
	f.Add(`[{"id":3}]`)
	f.Add(`[{"id":"a","filename":7}]`)
	f.Fuzz(func(t *testing.T, out string) {
		_ = parse(strings.NewReader(out), func(m message) {
			if line := (&change{id: m.ID, add: m.Tags}).line(); !strings.HasSuffix(line, "\n") || strings.Count(line, "\n") != 1 {
				t.Errorf("%q is not a line", line)
			}
		})
	})
}
