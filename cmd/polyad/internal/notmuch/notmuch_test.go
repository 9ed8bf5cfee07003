package notmuch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store"
)

var ctx = context.Background()

// subjects are the words of messages about something, and that something's tag.
var subjects = map[string][]string{
	"travel":    strings.Fields("flight hotel booking passport luggage departure terminal itinerary"),
	"family":    strings.Fields("grandma birthday picnic cousin school children dinner sunday"),
	"new bills": strings.Fields("invoice payment account balance due electricity statement receipt"),
}

// shared are the words of all messages, and all words of those without tag.
var shared = strings.Fields("the of meeting agenda report please find attached thanks regards today tomorrow question answer review patch kernel lunch")

// A mailbox is a notmuch database in a folder of its own, with a configuration of polya.
type mailbox struct {
	t      *testing.T
	dir    string
	config *Config
	about  map[string][]string // id of a message → its tags in truth
	rng    *rand.Rand
}

// newMailbox makes one, or skips the test where there is no notmuch.
func newMailbox(t *testing.T) *mailbox {
	if _, err := exec.LookPath("notmuch"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("notmuch is not installed")
	}
	dir := t.TempDir()
	for _, folder := range []string{"mail/cur", "mail/new", "mail/tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := fmt.Sprintf("[database]\npath=%s/mail\n[user]\nname=a\nprimary_email=a@example.org\n[new]\ntags=new;unread\n[search]\nexclude_tags=deleted\n[maildir]\nsynchronize_flags=false\n", dir)
	if err := os.WriteFile(dir+"/config", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTMUCH_CONFIG", dir+"/config")
	return &mailbox{t: t, dir: dir, about: map[string][]string{}, rng: rand.New(rand.NewPCG(1, 2)), config: &Config{
		Database: dir + "/polya/tags.polya", Tags: []string{"family", "new bills", "travel"}, Precision: .95,
		Learn: "not tag:new", New: "tag:new", Then: []string{"-new", "+inbox"},
	}}
}

// deliver puts n messages into the Maildir and has notmuch take them in. Every fourth has no
// tag in truth, every tenth two. Some have ids that a query must quote.
func (m *mailbox) deliver(n int) (ids []string) {
	m.t.Helper()
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range subjects {
			if !yield(name) {
				return
			}
		}
	})
	for range n {
		i := len(m.about)
		id := fmt.Sprintf("%d@example.org", i)
		switch i % 50 {
		case 7:
			id = fmt.Sprintf(`"PM%d":14:54`, i)
		case 8:
			id = fmt.Sprintf(`%%20%d)(@x`, i)
		case 9:
			id = fmt.Sprintf("ümlaut%d or tag:new", i)
		case 10: // which its sender may choose, or polya would not look at it
			id = fmt.Sprintf("\x01\x1b[2J%d\x7f@x", i)
		}
		id = strings.ReplaceAll(id, " ", "") // as notmuch does
		tags := []string{}
		if i%4 != 0 {
			tags = append(tags, names[i%3])
		}
		if i%10 == 1 {
			tags = append(tags, names[(i+1)%3])
		}
		slices.Sort(tags)
		m.about[id] = tags
		ids = append(ids, id)
		path := filepath.Join(m.dir, "mail", "cur", fmt.Sprintf("%d.host:2,S", i))
		if err := os.WriteFile(path, []byte(m.message(i, id, tags)), 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
	m.notmuch("", "new", "--quiet")
	return ids
}

func (m *mailbox) message(i int, id string, tags []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "From: Sender %d <s%d@example.org>\nTo: a@example.org\nSubject: number %d\nMessage-ID: <%s>\nDate: Mon, 23 Nov 2026 01:00:00 +0000\n\n", i%7, i%7, i, id)
	for range 40 {
		words := shared
		if len(tags) > 0 && m.rng.IntN(4) == 0 {
			words = subjects[tags[m.rng.IntN(len(tags))]]
		}
		b.WriteString(words[m.rng.IntN(len(words))] + " ")
	}
	return b.String() + "\n"
}

func (m *mailbox) notmuch(stdin string, args ...string) string {
	m.t.Helper()
	out, err := program("notmuch").output(ctx, strings.NewReader(stdin), args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// change changes tags as the user does.
func (m *mailbox) change(id string, add, remove []string) {
	m.t.Helper()
	c := change{id, add, remove}
	m.notmuch(c.line(), "tag", "--batch")
}

// tags returns the tags of all messages.
func (m *mailbox) tags() map[string][]string {
	m.t.Helper()
	all, err := program("notmuch").messages(ctx, "*")
	if err != nil {
		m.t.Fatal(err)
	}
	tags := map[string][]string{}
	for _, m := range all {
		slices.Sort(m.Tags)
		tags[m.ID] = m.Tags
	}
	return tags
}

// run does work in a run of its own.
func (m *mailbox) run(work func(*Tagger, context.Context) (Done, error), with func(*Tagger)) (Done, error) {
	m.t.Helper()
	t, err := Open(m.config, store.Options{}, false)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() {
		if err := t.Close(); err != nil {
			m.t.Error(err)
		}
	}()
	if with != nil {
		with(t)
	}
	return work(t, ctx)
}

func (m *mailbox) must(work func(*Tagger, context.Context) (Done, error)) Done {
	m.t.Helper()
	done, err := m.run(work, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return done
}

// ledger returns the tags that messages were learned with.
func (m *mailbox) ledger() map[string][]string {
	m.t.Helper()
	learned := map[string][]string{}
	_, err := m.run(func(t *Tagger, ctx context.Context) (Done, error) {
		all, err := t.program.messages(ctx, "*")
		if err != nil {
			return Done{}, err
		}
		for i := range all {
			d, err := t.document(&all[i])
			if err != nil {
				return Done{}, err
			}
			known, err := t.known(d.ID)
			if err != nil {
				return Done{}, err
			}
			if known != nil {
				learned[all[i].ID] = known
			}
		}
		return Done{}, nil
	}, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	return learned
}

// learned has the user tag n messages and polya learn them.
func (m *mailbox) learned(n int) {
	m.t.Helper()
	var lines strings.Builder
	for _, id := range m.deliver(n) {
		c := change{id, append([]string{"inbox"}, m.about[id]...), []string{"new"}}
		lines.WriteString(c.line())
	}
	m.notmuch(lines.String(), "tag", "--batch")
	if done := m.must((*Tagger).Learn); done.Messages != n || done.Learned+done.Observed != n {
		m.t.Fatalf("learned %+v of %d", done, n)
	}
}

// 2,000 messages: half of them teach, half are tagged, some of these are corrected, and the
// corrections are learned. No other tag changes.
func TestMailbox(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	m := newMailbox(t)
	m.learned(n)
	if again := m.must((*Tagger).Learn); again.Learned+again.Observed != 0 {
		t.Errorf("learned again: %+v", again)
	}
	fresh := m.deliver(n)
	m.change(fresh[0], []string{"flagged", "own"}, nil)
	before := m.tags()
	done := m.must((*Tagger).Tag)
	right, wrong, missed := m.compare(fresh)
	t.Logf("%+v: %d tags right, %d wrong, %d missed", done, right, wrong, missed)
	if done.Messages != n || wrong*20 > right+wrong || missed > right/3 {
		t.Errorf("%+v: %d tags right, %d wrong, %d missed", done, right, wrong, missed)
	}
	m.onlyOurs(before, m.tags(), map[string]bool{"new": true, "inbox": true})
	if again := m.must((*Tagger).Tag); again.Tagged != 0 {
		t.Errorf("tagged again: %+v", again)
	}
	if fixed := m.must((*Tagger).Fix); fixed.Learned+fixed.Observed != 0 {
		t.Errorf("its own tags were learned: %+v", fixed)
	}
	m.correct(fresh)
}

// compare counts the tags that polya set as it should have, those it should not have set, and
// those it did not set.
func (m *mailbox) compare(ids []string) (right, wrong, missed int) {
	tags := m.tags()
	for _, id := range ids {
		for _, tag := range m.config.Tags {
			switch has, should := slices.Contains(tags[id], tag), slices.Contains(m.about[id], tag); {
			case has && should:
				right++
			case has:
				wrong++
			case should:
				missed++
			}
		}
	}
	return right, wrong, missed
}

// onlyOurs fails if tags changed that are neither in the configuration nor in with.
func (m *mailbox) onlyOurs(before, after map[string][]string, with map[string]bool) {
	m.t.Helper()
	others := func(tags []string) []string {
		return slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return with[tag] || slices.Contains(m.config.Tags, tag) })
	}
	for id, tags := range before {
		if !slices.Equal(others(tags), others(after[id])) {
			m.t.Errorf("%s: tags %v became %v", id, tags, after[id])
		}
	}
}

// correct has the user change tags of 40 messages: what is in the ledger afterwards is what
// they have, of the other messages nothing, and no tag comes back.
func (m *mailbox) correct(ids []string) {
	m.t.Helper()
	before := m.ledger()
	want := map[string][]string{}
	for i, id := range ids[:40] {
		now := m.tags()[id]
		has := slices.DeleteFunc(slices.Clone(now), func(tag string) bool { return !slices.Contains(m.config.Tags, tag) })
		switch {
		case i%2 == 0 && len(has) > 0:
			m.change(id, nil, has[:1])
			want[id] = has[1:]
		case !slices.Contains(has, "travel"):
			m.change(id, []string{"travel"}, nil)
			want[id] = append(has, "travel")
		}
	}
	tagged := m.tags()
	done := m.must((*Tagger).Fix)
	after := m.ledger()
	for id := range m.about {
		expected, corrected := want[id]
		if !corrected {
			expected = before[id]
		}
		if !slices.Equal(after[id], expected) || (after[id] == nil) != (expected == nil) {
			m.t.Errorf("%s was learned as %q, want %q", id, after[id], expected)
		}
	}
	if done.Learned+done.Observed != len(want) || len(want) < 30 {
		m.t.Errorf("%+v, %d corrections", done, len(want))
	}
	m.must((*Tagger).Hook)
	if now := m.tags(); fmt.Sprint(now) != fmt.Sprint(tagged) {
		m.t.Error("tags have changed after the corrections were learned")
	}
}

// A run that stops before, in the middle of, or after setting tags is made up for: messages
// have the tags of a run that was not stopped, and nothing is taken for a correction.
func TestStopped(t *testing.T) {
	m := newMailbox(t)
	m.learned(200)
	for _, lines := range []int{0, 5, 1000} {
		fresh := m.deliver(60)
		// It tags as many messages as it has lines, and fails.
		script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = tag ] || exec notmuch \"$@\"\nhead -n %d | notmuch tag --batch; exit 9\n", lines)
		if err := os.WriteFile(m.dir+"/failing", []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := m.run((*Tagger).Tag, func(t *Tagger) { t.program = program(m.dir + "/failing") }); err == nil || !strings.Contains(err.Error(), "exit status 9") {
			t.Fatal(err)
		}
		before := m.ledger()
		done := m.must((*Tagger).Hook)
		if right, wrong, missed := m.compare(fresh); right == 0 || wrong > 2 || missed > right/2 {
			t.Errorf("%d lines: %+v, %d right, %d wrong, %d missed", lines, done, right, wrong, missed)
		}
		for id, tags := range m.ledger() {
			if len(tags) > 0 && before[id] == nil {
				t.Errorf("%d lines: %s was learned with %q", lines, id, tags)
			}
		}
		if pending := m.notmuch("", "count", "tag:new"); pending != "0" {
			t.Errorf("%d lines: %s messages are still new", lines, pending)
		}
	}
}

// A dry run changes nothing.
func TestDryRun(t *testing.T) {
	m := newMailbox(t)
	m.learned(100)
	m.deliver(20)
	before, data := m.tags(), read(t, m.config.Database)
	tagger, err := Open(m.config, store.Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	tagger.Changed = func(string, []string, []string) { said++ }
	for _, work := range []func(*Tagger, context.Context) (Done, error){(*Tagger).Learn, (*Tagger).Tag, (*Tagger).Fix} {
		if _, err := work(tagger, ctx); err != nil {
			t.Error(err)
		}
	}
	if err := tagger.Close(); err != nil {
		t.Error(err)
	}
	if said != 20 || fmt.Sprint(m.tags()) != fmt.Sprint(before) || read(t, m.config.Database) != data {
		t.Errorf("%d changes said; tags or database have changed", said)
	}
	m.config.Database = filepath.Join(m.dir, "other.polya")
	if tagger, err = Open(m.config, store.Options{}, true); err != nil {
		t.Fatal(err)
	}
	if err := tagger.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(m.config.Database); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dry run has made the database: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
