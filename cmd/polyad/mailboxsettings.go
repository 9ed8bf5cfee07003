package main

import (
	"cmp"
	_ "embed"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// maildirTable says where a Maildir is.
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
