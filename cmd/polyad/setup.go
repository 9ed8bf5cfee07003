package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/imapbox"
	"github.com/polya-classifier/polya/cmd/polyad/internal/notmuch"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/serve/config"
)

// A dialogue asks for settings in a terminal. An empty line, or the end, is the proposed answer.
type dialogue struct {
	*program
	input *bufio.Scanner
	ended bool // the input
}

// again prints an error and reports whether to ask once more: a script cannot mend its answer.
func (d *dialogue) again(err error) bool {
	if err == nil || d.ended || !terminal.IsTerminal(d.Stdin) {
		return false
	}
	d.Printf("%s\n", terminal.Printable(err.Error()))
	return true
}

func (d *dialogue) ask(question, proposed string) string {
	d.Printf("%s [%s]: ", question, proposed)
	answer := ""
	if d.ended = !d.input.Scan(); !d.ended {
		answer = strings.TrimSpace(d.input.Text())
	}
	answer = cmp.Or(answer, proposed)
	if !terminal.IsTerminal(d.Stdin) {
		d.Printf("%s\n", terminal.Printable(answer))
	}
	return answer
}

func (d *dialogue) yes(question string) bool {
	return strings.HasPrefix(strings.ToLower(d.ask(question, "yes")), "y")
}

// setUp asks about a mailbox, writes its settings, learns its folders, and says what would be filed.
func (p *program) setUp(ctx context.Context, file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s: exists already; change it, or remove it first", file)
	}
	d := &dialogue{program: p, input: bufio.NewScanner(p.Stdin)}
	database, err := cmp.Or(p.Database, os.Getenv("POLYA_DB")), error(nil)
	if database != "" { // a service is to have it too
		if database, err = filepath.Abs(database); err != nil {
			return err
		}
	}
	var s *mailboxSettings
	var choices []choice
	for again := true; again; again = d.again(err) {
		s = new(mailboxSettings)
		s.Database = database
		if err = d.mailbox(ctx, s); err == nil {
			choices, err = s.choices(ctx)
		}
	}
	if err == nil {
		s.Folders, err = d.folders(choices)
	}
	if err != nil {
		return err
	}
	if s.Notmuch == nil {
		s.Page = freeAddress("7473", "0")
	}
	text, err := settings.Text(s)
	if err != nil {
		return err
	}
	if err := p.WriteNew(file, append(slices.Clone(explained), text...), 0o600); err != nil {
		return err
	}
	d.Printf("Learning what lies in these folders; nothing is moved.\n")
	if err := d.learn(ctx, file); err != nil {
		return err
	}
	return d.start(ctx, s, file)
}

func (d *dialogue) mailbox(ctx context.Context, s *mailboxSettings) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	root := filepath.Join(home, "Maildir")
	kind := "imap"
	if _, err := os.Stat(root); err == nil {
		kind = "maildir"
	}
	switch kind := d.ask("Where is the mail: maildir, imap or notmuch", kind); kind {
	case "maildir":
		root, err := filepath.Abs(inHome(d.ask("Folder of the Maildir", root)))
		s.Maildir = &maildirTable{root}
		return err
	case "imap":
		s.IMAP, err = d.server()
		return err
	case "notmuch":
		s.Notmuch = &notmuch.Settings{}
		marks, err := notmuch.MarksUnread(ctx)
		if err == nil && !marks {
			d.Printf("notmuch does not give new mail the tag unread: mail that is older than a time counts as looked at.\n")
			s.Notmuch.Read = "date:.." + d.ask("How old", "30d")
		}
		return err
	default:
		return fmt.Errorf("%q: want maildir, imap or notmuch", kind)
	}
}

// server asks how to reach a mailbox on a server, by an encrypted connection unless it is this machine.
func (d *dialogue) server() (*imapbox.Settings, error) {
	imap := &imapbox.Settings{Host: d.ask("Server, as imap.example.org or imap.example.org:143", "localhost"), Security: "tls"}
	if host, port, err := net.SplitHostPort(imap.Host); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%q: %q is no port, as 143", imap.Host, port)
		}
		imap.Host, imap.Port = host, int(n)
	}
	switch {
	case config.Loopback(imap.Host):
		imap.Security = "none"
	case imap.Port == 143:
		imap.Security = "starttls"
	}
	imap.User = d.ask("User", os.Getenv("USER"))
	if command := d.ask("Command that prints the password, or none if POLYA_IMAP_PASSWORD has it", "none"); command != "none" {
		imap.PasswordCommand = words(command)
	}
	return imap, nil
}

// freeAddress returns an address of this machine at the first port that is free, "" if none is.
func freeAddress(ports ...string) string {
	for _, port := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	return ""
}

// words returns a command as a program and its arguments; a shell reads what is quoted.
func words(command string) []string {
	if strings.ContainsAny(command, `'"\$|;&<>*?~`) {
		return []string{"sh", "-c", command}
	}
	return strings.Fields(command)
}

func (d *dialogue) folders(choices []choice) (rules []filing.Folder, err error) {
	var proposed []string
	for i, c := range choices {
		d.Printf("%4d  %s  (%s)\n", i+1, terminal.Printable(watching.Shown(c.name)), terminal.Counted(c.messages, "message", "messages"))
		if c.proposed {
			proposed = append(proposed, strconv.Itoa(i+1))
		}
	}
	if len(choices) == 0 {
		return nil, fmt.Errorf("the mailbox has no folder beside the inbox: polya learns from folders")
	}
	d.Printf("polya learns from folders, and files new mail into them where its answers have earned that.\n")
	for again := true; again; again = d.again(err) {
		rules, err = chosen(choices, d.ask("Which folders, as 1 3 4", strings.Join(proposed, " ")))
	}
	return rules, err
}

// learn looks at the mailbox once, and says what would be filed.
func (d *dialogue) learn(ctx context.Context, file string) error {
	s, rules, err := loadMailbox(file)
	if err != nil {
		return err
	}
	w, book, err := d.openMailbox(ctx, s, rules, file, false)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Once(ctx); err != nil {
		return err
	}
	return d.outlook(book, rules)
}

// unit is a service of systemd for one user.
const unit = `[Unit]
Description=polya files mail and learns where it lies

[Service]
ExecStart=%s
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target
`

// start has the mailbox watched from now on, and says how to go on.
func (d *dialogue) start(ctx context.Context, s *mailboxSettings, file string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if file, err = filepath.Abs(file); err != nil {
		return err
	}
	switch {
	case s.Notmuch != nil && d.yes("Have 'notmuch new' call polya after new mail"):
		hook, err := notmuch.Hook(ctx)
		if err != nil {
			return err
		}
		line := terminal.ShellWords(self, "watch", "--once", "--quiet", file)
		if err := d.WriteNew(hook, []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
			return fmt.Errorf("%w; the line to add is: %s", err, line)
		}
	case s.IMAP != nil && len(s.IMAP.PasswordCommand) == 0:
		d.Printf("Start it: POLYA_IMAP_PASSWORD=... polyad watch %s\nA service needs a command that prints the password.\n", terminal.ShellWords(file))
	case s.Notmuch == nil && runtime.GOOS == "linux" && d.yes("Write a service of systemd, to watch whenever you are logged in"):
		folder, err := os.UserConfigDir()
		if err != nil {
			return err
		}
		path := filepath.Join(folder, "systemd", "user", "polya-watch.service")
		if err := d.WriteNew(path, fmt.Appendf(nil, unit, systemdWords(self, "watch", file)), 0o600); err != nil {
			return err
		}
		d.Printf("Start it: systemctl --user enable --now polya-watch\nSee what it does: journalctl --user -u polya-watch\n")
	default:
		d.Printf("Start it: polyad watch %s\n", terminal.ShellWords(file))
	}
	if s.Page != "" {
		link, _, err := d.page(s.Page, tokenFile(file))
		if err != nil {
			return err
		}
		d.Printf("While it runs, who has this link signs in to its page: %s\n", terminal.Printable(link))
	}
	d.Printf("Go on sorting your mail as you do: what you move is learned. 'polyad watch --dry-run %s' shows how well filing does.\n", terminal.ShellWords(file))
	return nil
}

func systemdWords(words ...string) string {
	for i, w := range words {
		words[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(w) + `"`
	}
	return strings.Join(words, " ")
}
