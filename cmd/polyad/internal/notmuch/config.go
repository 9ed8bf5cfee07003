package notmuch

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/internal/settings"
)

//go:embed notmuch.toml
var template string

// Config is the content of a configuration file.
type Config struct {
	Database  string   `toml:"database"`
	Tags      []string `toml:"tags"`
	Precision float64  `toml:"precision"`
	Learn     string   `toml:"learn"`
	New       string   `toml:"new"`
	Then      []string `toml:"then"`
}

// DefaultConfig returns the path of this user's configuration.
func DefaultConfig() (string, error) {
	folder, err := os.UserConfigDir()
	return filepath.Join(folder, "polya", "notmuch.toml"), err
}

// Load reads and checks a file. The error is a file system error, or lists errors by line.
func Load(path string) (*Config, error) {
	c := &Config{Precision: .95, Learn: "*", New: "tag:new"}
	k, err := settings.Load(path, c)
	if err != nil {
		return nil, err
	}
	if c.Database == "" {
		k.Wrong("database", "want the path of a file")
	}
	if !(c.Precision > 0 && c.Precision < 1) {
		k.Wrong("precision", "%v: want more than 0 and less than 1", c.Precision)
	}
	if len(c.Tags) == 0 {
		k.Wrong("tags", "want the tags to learn")
	}
	for _, tag := range c.Tags {
		if err := checkTag(tag); err != nil {
			k.Wrong("tags", "%v", err)
		}
	}
	for _, with := range c.Then {
		if len(with) < 2 || with[0] != '+' && with[0] != '-' || checkTag(with[1:]) != nil {
			k.Wrong("then", "%q: want a tag with + or - before it", with)
		} else if slices.Contains(c.Tags, with[1:]) {
			k.Wrong("then", "%s: polya decides on that tag", with)
		}
	}
	for key, query := range map[string]string{"learn": c.Learn, "new": c.New} {
		if strings.TrimSpace(query) == "" {
			k.Wrong(key, "want a query; \"*\" finds all messages")
		}
	}
	if c.Database, err = inHome(c.Database); err != nil {
		return nil, err
	}
	slices.Sort(c.Tags)
	c.Tags = slices.Compact(c.Tags)
	return c, k.Err()
}

// checkTag refuses tags that notmuch does not accept.
func checkTag(tag string) error {
	switch {
	case tag == "" || strings.HasPrefix(tag, "-"):
		return fmt.Errorf("%q: a tag of notmuch is not empty and begins with no -", tag)
	case len(tag) > 200: // NOTMUCH_TAG_MAX
		return fmt.Errorf("%.20q…: longer than 200 bytes", tag)
	}
	return nil
}

// inHome replaces a tilde at the start of a path.
func inHome(path string) (string, error) {
	rest, found := strings.CutPrefix(path, "~/")
	if !found {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, rest), err
}

// Tags that notmuch and mail programs set by themselves say nothing about the content of a message.
var ofPrograms = []string{
	"attachment", "deleted", "draft", "encrypted", "flagged", "inbox", "new", "passed", "replied", "sent", "signed", "unread",
}

// write makes a configuration that lists the existing tags, unless the file exists.
func write(path string, tags, messages []string) error {
	var list strings.Builder
	for i, tag := range tags {
		if !slices.Contains(ofPrograms, tag) && checkTag(tag) == nil {
			fmt.Fprintf(&list, "    # %-20s  # %s\n", quoted(tag)+",", messages[i])
		}
	}
	text := strings.Replace(template, "tags = [\n", "tags = [\n"+list.String(), 1)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// quoted returns a string of TOML.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
