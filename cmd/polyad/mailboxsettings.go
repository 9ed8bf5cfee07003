package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/imapbox"
	"github.com/polya-classifier/polya/cmd/polyad/internal/maildir"
	"github.com/polya-classifier/polya/cmd/polyad/internal/notmuch"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/store/count"
)

// mailboxSettings say which mailbox is watched, and how. One of Maildir, IMAP and Notmuch is not nil.
type mailboxSettings struct {
	watching.Settings
	Page    string            `toml:"page,omitempty"` // address of the page; "" for none
	Maildir *maildirTable     `toml:"maildir,omitempty"`
	IMAP    *imapbox.Settings `toml:"imap,omitempty"`
	Notmuch *notmuch.Settings `toml:"notmuch,omitempty"`
}

type maildirTable struct {
	Path string `toml:"path"`
}

// explained is what a file of settings begins with.
//
//go:embed watch.toml
var explained []byte

// tagPrecision is the precision of tags by default: a wrong tag is seen less easily than a wrong folder.
const tagPrecision = .95

func loadMailbox(path string) (*mailboxSettings, filing.Rules, error) {
	s := &mailboxSettings{Settings: watching.Settings{Interval: time.Minute}}
	k, err := settings.Load(path, s)
	if err != nil {
		return nil, nil, err
	}
	kinds, source, precision := 0, "", watching.Precision
	if s.Maildir != nil {
		kinds, source = kinds+1, "maildir"
		s.Maildir.Path = inHome(s.Maildir.Path)
		k.Path(&s.Maildir.Path)
		s.Inbox.Folder = cmp.Or(s.Inbox.Folder, ".")
	}
	if s.IMAP != nil {
		kinds, source = kinds+1, "imap"
		s.IMAP.Check(k)
		s.Inbox.Folder = cmp.Or(s.Inbox.Folder, "INBOX")
	}
	if s.Notmuch != nil {
		kinds, source, precision = kinds+1, "notmuch", tagPrecision
		s.Notmuch.Check()
	}
	if kinds != 1 {
		k.Wrong("", "want one of the tables maildir, imap and notmuch")
		return nil, nil, k.Err()
	}
	if host, _, err := net.SplitHostPort(s.Page); s.Page != "" && (s.Notmuch != nil || err != nil || !config.Loopback(host)) {
		k.Wrong("page", "want an address of this machine, as 127.0.0.1:7473; there is no page for tags")
	}
	s.Source, s.Precision = cmp.Or(s.Source, source), cmp.Or(s.Precision, precision)
	s.Database = inHome(s.Database)
	rules := s.Rules(k, s.Notmuch != nil)
	return s, rules, k.Err()
}

// box returns the mailbox and a unique name of it.
func (s *mailboxSettings) box(rules filing.Rules) (box watching.Box, name string) {
	switch {
	case s.Maildir != nil:
		return maildir.New(s.Maildir.Path), s.Maildir.Path
	case s.IMAP != nil:
		var watched []string
		for _, f := range rules {
			watched = append(watched, f.Name)
		}
		return imapbox.New(s.IMAP, s.Inbox.Folder, watched), s.IMAP.Mailbox()
	}
	return notmuch.New(s.Notmuch, classesOf(rules)), "notmuch"
}

// classesOf returns the classes of rules or, where folders are sets of tags, these.
func classesOf(rules filing.Rules) (classes []string) {
	for _, f := range rules {
		if rules.OfTags() {
			classes = append(classes, count.Tags(f.Class)...)
		} else {
			classes = append(classes, f.Class)
		}
	}
	return classes
}

func inHome(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[2:])
	}
	return path
}

// A choice is a folder to learn from.
type choice struct {
	name, class string
	messages    int
	proposed    bool
}

// chosen returns the rules of the folders whose numbers a person has named.
func chosen(choices []choice, answer string) (rules []filing.Folder, err error) {
	for word := range strings.FieldsFuncSeq(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
		i, err := strconv.Atoi(word)
		if err != nil || i < 1 || i > len(choices) {
			return nil, fmt.Errorf("%q: want numbers up to %d", word, len(choices))
		}
		rule := filing.Folder{Name: choices[i-1].name, Class: choices[i-1].class, New: filing.File}
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if rules == nil {
		return nil, errors.New("no folder: polya learns from folders")
	}
	return rules, nil
}

// special are tags that notmuch and mail programs set by themselves.
var special = []string{"attachment", "deleted", "draft", "encrypted", "flagged", "inbox", "new", "passed", "replied", "signed", "unread"}

// choices returns the folders beside the inbox, and sets the inbox, or returns the tags.
func (s *mailboxSettings) choices(ctx context.Context) ([]choice, error) {
	switch {
	case s.Notmuch != nil:
		s.Database = cmp.Or(s.Database, "~/.local/share/polya/notmuch.polya") // of tags: others have classes
		return tagChoices(ctx)
	case s.IMAP != nil:
		server := imapbox.New(s.IMAP, "", nil) // all folders
		return s.folderChoices(ctx, server, server.Use)
	}
	return s.folderChoices(ctx, maildir.New(s.Maildir.Path), func(string) (junk, special bool) { return false, false })
}

func tagChoices(ctx context.Context) (list []choice, err error) {
	messages, err := notmuch.Tags(ctx)
	for _, tag := range slices.Sorted(maps.Keys(messages)) {
		if !slices.Contains(special, tag) && !corpus.IsSpecial(tag) && !strings.HasPrefix(tag, notmuch.Suggestion) {
			list = append(list, choice{tag, "", messages[tag], true})
		}
	}
	return list, err
}

// folderChoices is choices for a mailbox of folders. use returns what the server says that a folder is for.
func (s *mailboxSettings) folderChoices(ctx context.Context, box watching.Box, use func(string) (junk, special bool)) (list []choice, err error) {
	defer box.Close()
	names, err := box.Folders(ctx)
	if err != nil {
		return nil, err
	}
	isInbox := func(name string) bool {
		return s.Maildir != nil && name == "." || strings.EqualFold(strings.TrimPrefix(name, "."), "inbox")
	}
	inbox := slices.IndexFunc(names, isInbox)
	if inbox < 0 {
		return nil, fmt.Errorf("there is no inbox: want one named INBOX, or for a Maildir the folder itself, with cur and new in it")
	}
	s.Inbox = watching.InboxSettings{Folder: names[inbox], Class: "inbox"}
	declared := slices.ContainsFunc(names, func(name string) bool { junk, _ := use(name); return junk })
	for i, name := range names {
		class := corpus.FolderName(name)
		if i == inbox || count.CheckClass(class) != nil {
			continue
		}
		junk, isSpecial := use(name)
		isSpecial = isSpecial || corpus.IsSpecial(class)
		if junk || !declared && corpus.IsJunk(class) {
			class = "spam"
		}
		if slices.ContainsFunc(list, func(c choice) bool { return c.class == class }) {
			class = strings.TrimPrefix(name, ".")
		}
		copies, err := box.List(ctx, name)
		if errors.Is(err, watching.ErrFolder) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, choice{name, class, len(copies), !isSpecial})
	}
	return list, nil
}
