package maildir

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/store/count"
)

// Load reads the settings of the Maildir at root and checks them. Folders that have no rule are
// among its rules, without a class.
func Load(path, root string) (*watching.Settings, filing.Rules, error) {
	s := &watching.Settings{Source: "maildir", Interval: time.Minute, Inbox: watching.InboxSettings{Folder: "."}}
	k, err := settings.Load(path, s)
	if err != nil {
		return nil, nil, err
	}
	folders, err := listFolders(root)
	if err != nil {
		return nil, nil, err
	}
	rules := s.Rules(k)
	for i, f := range rules {
		key := "inbox.folder"
		if i > 0 {
			key = fmt.Sprintf("folder[%d].name", i-1)
		}
		if f.Name != "" && !slices.Contains(folders, f.Name) {
			k.Wrong(key, "%s has no Maildir folder %s", root, f.Name)
		}
	}
	for _, name := range folders {
		if rules.Named(name) == nil {
			rules = append(rules, &filing.Folder{Name: name})
		}
	}
	return s, rules, k.Err()
}

//go:embed settings.toml
var head string

// special are the folders for which polya proposes no rule: they say who wrote a message or
// what became of it, not what it is about. Folders whose names are not valid classes get none
// either.
var special = []string{"archive", "archives", "all mail", "deleted items", "deleted messages", "drafts", "junk", "outbox",
	"sent", "sent items", "sent messages", "sent-mail", "spam", "templates", "trash"}

// Template returns initial settings for the Maildir at root.
func Template(root string) (string, error) {
	folders, err := listFolders(root)
	if err != nil {
		return "", err
	}
	inbox := "."
	if !slices.Contains(folders, inbox) {
		at := slices.IndexFunc(folders, func(name string) bool { return strings.EqualFold(strings.TrimPrefix(name, "."), "inbox") })
		if at < 0 {
			return "", fmt.Errorf("%s: there is no inbox: neither it nor INBOX in it has the folders cur and new", root)
		}
		inbox = folders[at]
	}
	var b strings.Builder
	b.WriteString(strings.Replace(head, `folder = "."`, fmt.Sprintf("folder = %q", inbox), 1))
	for _, name := range folders {
		if name == inbox {
			continue
		}
		class := corpus.FolderName(name)
		mark, of := "", class
		if slices.Contains(special, strings.ToLower(class)) || count.CheckClass(class) != nil {
			mark = "#"
			if strings.EqualFold(class, "junk") {
				of = "spam"
			}
		}
		fmt.Fprintf(&b, "\n%[1]s[[folder]]\n%[1]sname = %[2]q\n%[1]sclass = %[3]q\n%[1]snew = \"mark\"\n", mark, name, of)
	}
	return b.String(), nil
}

// SettingsPath returns the default path of the settings of the Maildir at root.
func SettingsPath(root string) string { return filepath.Join(root, "polya.toml") }
