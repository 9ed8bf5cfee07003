package corpus

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// folderName writes a name as RFC 3501, section 5.1.3, has servers do: what is not
// printable ASCII, in runs, as UTF-16 in base64 with "," for "/".
func folderName(name string) string {
	var b strings.Builder
	var run []byte
	end := func() {
		if len(run) > 0 {
			coded := base64.RawStdEncoding.EncodeToString(run)
			b.WriteString("&" + strings.ReplaceAll(coded, "/", ",") + "-")
			run = run[:0]
		}
	}
	for _, r := range name {
		if r < ' ' || r > '~' {
			for _, u := range utf16.Encode([]rune{r}) {
				run = append(run, byte(u>>8), byte(u))
			}
			continue
		}
		end()
		b.WriteRune(r)
		if r == '&' {
			b.WriteByte('-')
		}
	}
	end()
	return b.String()
}

// FuzzFolderName asks that a name comes back from how it is written, and that any other
// is read as something.
func FuzzFolderName(f *testing.F) {
	for _, s := range []string{"", "Junk", "R\u00e9sum\u00e9 & \u65e5\u672c\u8a9e\U0001f600", "a&-b", "&AOk-", "&", "&-&", "&2D0-", "&AGE-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := FolderName(name); name != "" && got == "" && strings.Trim(name, ".&-") != "" {
			t.Errorf("%q is read as nothing", name)
		}
		name = strings.ToValidUTF8(name, "?")
		if got := FolderName("." + folderName(name)); got != name {
			t.Errorf("%q is written as %q, which is read as %q", name, folderName(name), got)
		}
	})
}

// fileName reports whether a file can be called so.
func fileName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) < 256 && !strings.ContainsAny(name, "/\x00")
}

// FuzzMaildir asks that a message in a folder of a Maildir is found there, whatever both
// are called, and is of the class that the folder's name says.
func FuzzMaildir(f *testing.F) {
	f.Add(".Work.R&AOk-sultats", "1030016400.M1P2.host:2,RS", true)
	f.Add("Sent", "x", false)
	f.Add(".cur", ":2,", true)
	f.Add("a\nb", "\xff", false)
	f.Add(".a", ".hidden", true)
	f.Fuzz(func(t *testing.T, folder, name string, seen bool) {
		if !fileName(folder) || !fileName(name) || folder == "cur" || folder == "new" || folder == "tmp" || strings.EqualFold(folder, "maildir") {
			return
		}
		root := t.TempDir()
		sub := map[bool]string{false: "new", true: "cur"}[seen]
		for _, dir := range []string{"cur", "new", folder + "/cur", folder + "/new", folder + "/tmp"} {
			if os.MkdirAll(filepath.Join(root, dir), 0o700) != nil {
				return // no name to the file system
			}
		}
		path := filepath.Join(root, folder, sub, name)
		if os.WriteFile(path, []byte("Subject: x\n\ny\n"), 0o600) != nil {
			return
		}
		var got []string
		err := Folders(context.Background(), root, Options{}, func(d *Document) error {
			got = append(got, d.Path+" "+d.Class+" "+string(d.Content))
			return nil
		})
		want := path + " " + FolderName(folder) + " Subject: x\n\ny\n"
		switch hidden := name[0] == '.'; {
		case (hidden || IsSpecial(FolderName(folder))) && len(got) > 0:
			t.Errorf("%q is read", got)
		case IsSpecial(FolderName(folder)):
		case !hidden && (err != nil || len(got) != 1 || got[0] != want):
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
}
