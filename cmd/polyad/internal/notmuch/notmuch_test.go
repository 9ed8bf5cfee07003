package notmuch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// subjects are the words of messages about something, and that something's tag.
var subjects = map[string][]string{
	"travel":    strings.Fields("flight hotel booking passport luggage departure terminal itinerary"),
	"family":    strings.Fields("grandma birthday picnic cousin school children dinner sunday"),
	"new bills": strings.Fields("invoice payment account balance due electricity statement receipt"),
}

// shared are the words of all messages, and all words of those without tag.
var shared = strings.Fields("the of meeting agenda report please find attached thanks regards today tomorrow question answer review patch kernel lunch")

// A script in the place of notmuch that hangs keeps nobody, nor does what it has begun.
func TestHangs(t *testing.T) {
	defer func(before time.Duration) { longest = before }(longest)
	longest = 100 * time.Millisecond
	script := filepath.Join(t.TempDir(), "notmuch")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsleep 20\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := program(script).run(t.Context(), "", "count"); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
}

// A mailbox is a notmuch database in a folder of its own, watched by polya.
type mailbox struct {
	t       *testing.T
	dir     string
	program program             // that polya calls
	about   map[string][]string // id of a message → its tags in truth
	ids     map[string]count.DocID
	rng     *rand.Rand
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
	config := fmt.Sprintf("[database]\npath=%s/mail\n[user]\nname=a\nprimary_email=a@example.org\n[new]\ntags=unread\n[search]\nexclude_tags=deleted\n[maildir]\nsynchronize_flags=false\n", dir)
	if err := os.WriteFile(dir+"/config", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTMUCH_CONFIG", dir+"/config")
	return &mailbox{t, dir, "notmuch", map[string][]string{}, map[string]count.DocID{}, rand.New(rand.NewPCG(1, 2))}
}

// ours are the tags that polya learns and sets.
var ours = slices.Sorted(maps.Keys(subjects))

// rules are what polya does.
func rules() filing.Rules {
	r := filing.Rules{{Name: filing.Untagged, Class: filing.Untagged, Inbox: true}}
	for _, tag := range ours {
		set, _ := count.TagSet(tag)
		r = append(r, &filing.Folder{Name: set, Class: set, New: filing.File, Precision: .95})
	}
	return r
}

// database returns what polya has learned.
func (m *mailbox) database() *watching.Database {
	path := filepath.Join(m.dir, "tags.polya")
	return &watching.Database{
		Source: "notmuch", Classes: ours, Sets: true, Share: .95, Done: func() {},
		Read: func() (*classify.Classifier, error) {
			return classify.Open(path, classify.Options{Holds: classify.Tags, Store: store.Options{ReadOnly: true, MustExist: true}})
		},
		Write: func() (*classify.Classifier, error) {
			return classify.Open(path, classify.Options{Holds: classify.Tags})
		},
	}
}

// look has polya look at the mail once, in a process of its own, and returns how many messages it
// has learned, tagged and suggested tags for.
func (m *mailbox) look(dry bool) (done map[string]int, err error) {
	m.t.Helper()
	done = map[string]int{}
	s := &Settings{}
	s.Check()
	box := New(s, ours)
	box.program = m.program
	w, err := watching.Open(watching.Options{
		Mailbox: "notmuch", State: filepath.Join(m.dir, "state"), Dry: dry, Rules: rules(), Box: box, Book: m.database(),
		Report: func(line string) {
			if first, is := strings.CutPrefix(line, "first look: learned "); is {
				for part := range strings.SplitSeq(first, ", ") {
					n := 0
					_, _ = fmt.Sscan(part, &n)
					done["learned"] += n
				}
				return
			}
			_, said, _ := strings.Cut(line, ": ")
			done[strings.TrimSuffix(strings.Fields(said)[0], ",")]++
		},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			m.t.Error(err)
		}
	}()
	return done, w.Once(m.t.Context())
}

func (m *mailbox) must() map[string]int {
	m.t.Helper()
	done, err := m.look(false)
	if err != nil {
		m.t.Fatal(err)
	}
	return done
}

// deliver puts n messages into the Maildir and has notmuch take them in. Every fourth has no
// tag in truth, every tenth two. Some have ids that a query must quote.
func (m *mailbox) deliver(n int) (ids []string) {
	m.t.Helper()
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
			tags = append(tags, ours[i%3])
		}
		if i%10 == 1 {
			tags = append(tags, ours[(i+1)%3])
		}
		slices.Sort(tags)
		m.about[id] = tags
		ids = append(ids, id)
		path := filepath.Join(m.dir, "mail", "cur", fmt.Sprintf("%d.host:2,", i))
		text := []byte(m.message(i, id, tags))
		m.ids[id] = mail.ID(text)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			m.t.Fatal(err)
		}
	}
	m.notmuch("new", "--quiet")
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

func (m *mailbox) notmuch(args ...string) string {
	m.t.Helper()
	out, err := program("notmuch").run(m.t.Context(), "", args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// change changes tags as the user does.
func (m *mailbox) change(id string, add, remove []string) {
	m.t.Helper()
	m.tag(quoted("id", id), add, remove)
}

func (m *mailbox) tag(query string, add, remove []string) {
	m.t.Helper()
	if err := program("notmuch").tag(m.t.Context(), add, remove, query); err != nil {
		m.t.Fatal(err)
	}
}

// tags returns the tags of all messages.
func (m *mailbox) tags() map[string][]string {
	m.t.Helper()
	all := map[string][]string{}
	err := program("notmuch").tags(m.t.Context(), "*", func(id string, tags []string) { all[id] = tags })
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}

// ledger returns the sets of tags that messages were learned with, "" for what was not learned.
func (m *mailbox) ledger() map[string]string {
	m.t.Helper()
	d := m.database()
	defer d.Close()
	sets := map[string]string{}
	for id, doc := range m.ids {
		l, err := d.Learned(m.t.Context(), []count.DocID{doc})
		if err != nil {
			m.t.Fatal(err)
		}
		sets[id] = l[0].Class
	}
	return sets
}

// learned has the user tag n messages, read the others, and polya learn them.
func (m *mailbox) learned(n int) {
	m.t.Helper()
	alike := map[string][]string{} // those of the same tags: a program takes longer to start than to tag them
	for _, id := range m.deliver(n) {
		tags := fmt.Sprint(m.about[id])
		alike[tags] = append(alike[tags], quoted("id", id))
	}
	for _, id := range slices.Sorted(maps.Keys(m.about)) {
		tags := fmt.Sprint(m.about[id])
		if queries := alike[tags]; queries != nil {
			m.tag(strings.Join(queries, " or "), append([]string{"inbox"}, m.about[id]...), []string{"unread"})
			delete(alike, tags)
		}
	}
	if done := m.must(); done["learned"] != n {
		m.t.Fatalf("%v of %d", done, n)
	}
}

// 800 messages: half of them teach, half are tagged, some of these are corrected, and the
// corrections are learned. No other tag changes, and what nobody has looked at teaches nothing.
func TestMailbox(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	const n = 400
	m := newMailbox(t)
	m.learned(n)
	if again := m.must(); len(again) != 0 {
		t.Errorf("a second look did %v", again)
	}
	before, learned := m.tags(), m.ledger()
	fresh := m.deliver(n)
	m.change(fresh[0], []string{"flagged", "own"}, nil)
	done := m.must()
	right, wrong, missed := m.compare(fresh)
	t.Logf("%v: %d tags right, %d wrong, %d missed", done, right, wrong, missed)
	if done["learned"] != 0 || wrong*20 > right+wrong || missed > right/3 {
		t.Errorf("%v: %d tags right, %d wrong, %d missed", done, right, wrong, missed)
	}
	m.onlyOurs(before, m.tags())
	if again := m.must(); len(again) != 0 {
		t.Errorf("a second look did %v", again)
	}
	for id, set := range m.ledger() {
		if set != learned[id] {
			t.Errorf("%s is learned as %q, which nobody has looked at", id, set)
		}
	}
	m.correct(fresh)
}

// compare counts the tags that polya set as it should have, those it should not have set, and
// those it did not set.
func (m *mailbox) compare(ids []string) (right, wrong, missed int) {
	tags := m.tags()
	for _, id := range ids {
		for _, tag := range ours {
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

// onlyOurs fails if tags changed that are no folders.
func (m *mailbox) onlyOurs(before, after map[string][]string) {
	m.t.Helper()
	others := func(tags []string) []string {
		return slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return slices.Contains(ours, tag) })
	}
	for id, tags := range before {
		if !slices.Equal(others(tags), others(after[id])) {
			m.t.Errorf("%s: tags %v became %v", id, tags, after[id])
		}
	}
}

// correct has the user change tags of 40 messages, and read 20 others that have none: what is in
// the ledger afterwards is what they have, nothing else was learned, and no tag comes back.
func (m *mailbox) correct(ids []string) {
	m.t.Helper()
	want, now := m.ledger(), m.tags()
	corrected, read := 0, 0
	for i, id := range ids {
		has := slices.DeleteFunc(slices.Clone(now[id]), func(tag string) bool { return !slices.Contains(ours, tag) })
		switch {
		case i < 40 && i%2 == 0 && len(has) > 0:
			m.change(id, nil, has[:1])
			has = has[1:]
		case i < 40 && !slices.Contains(has, "travel"):
			m.change(id, []string{"travel"}, nil)
			has = append(has, "travel")
		case i >= 40 && read < 20 && len(has) == 0:
			m.change(id, nil, []string{"unread"})
			read++
		default:
			continue
		}
		corrected++
		want[id], _ = count.TagSet(has...)
	}
	tagged := m.tags()
	done := m.must()
	if got := m.ledger(); !maps.Equal(got, want) || done["learned"] != corrected || corrected < 50 {
		for id, set := range got {
			if set != want[id] {
				m.t.Errorf("%s is learned as %q, want %q", id, set, want[id])
			}
		}
		m.t.Errorf("%v, %d corrections", done, corrected)
	}
	if m.must(); fmt.Sprint(m.tags()) != fmt.Sprint(tagged) {
		m.t.Error("tags have changed after the corrections were learned")
	}
}

// A run that stops before, or after setting the first tag is made up for: the other messages have
// the tags of a run that was not stopped, and nothing is taken for a correction.
func TestStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	m := newMailbox(t)
	m.learned(200)
	for _, lines := range []int{0, 1} {
		fresh, before := m.deliver(60), m.ledger()
		script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = tag ] || exec notmuch \"$@\"\nhead -n %d | notmuch tag --batch; exit 9\n", lines)
		if err := os.WriteFile(m.dir+"/failing", []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		m.program = program(m.dir + "/failing")
		if _, err := m.look(false); err == nil || !strings.Contains(err.Error(), "exit status 9") {
			t.Fatal(err)
		}
		m.program = "notmuch"
		done := m.must()
		if right, wrong, missed := m.compare(fresh); right == 0 || wrong > 2 || missed > right/2 {
			t.Errorf("%d lines: %v, %d right, %d wrong, %d missed", lines, done, right, wrong, missed)
		}
		if after := m.ledger(); !maps.Equal(after, before) {
			t.Errorf("%d lines: something was learned", lines)
		}
	}
}

// A dry run changes nothing.
func TestDryRun(t *testing.T) {
	m := newMailbox(t)
	m.learned(100)
	m.deliver(20)
	before, learned := m.tags(), m.ledger()
	done, err := m.look(true)
	if err != nil || done["filed"]+done["suggested"]+done["left"] != 20 {
		t.Errorf("%v, %v", done, err)
	}
	if fmt.Sprint(m.tags()) != fmt.Sprint(before) || !maps.Equal(m.ledger(), learned) {
		t.Error("tags or the database have changed")
	}
}

// Suggestions are taken off a message that somebody has tagged, and stay on others.
func TestUnsuggest(t *testing.T) {
	m := newMailbox(t)
	m.learned(40)
	ids := m.deliver(20)
	m.must()
	filed := m.tags()
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return slices.ContainsFunc(filed[id], func(tag string) bool { return slices.Contains(ours, tag) })
	})[:2]
	for _, id := range ids {
		m.change(id, []string{"suggest/travel", "suggest/new bills", "own"}, nil)
	}
	m.change(ids[0], []string{"family"}, nil)
	if _, err := m.look(true); err != nil || !slices.Contains(m.tags()[ids[0]], "suggest/travel") {
		t.Errorf("a dry run changes %q: %v", m.tags()[ids[0]], err)
	}
	m.must()
	if got := m.tags(); !slices.Equal(got[ids[0]], []string{"family", "own", "unread"}) || !slices.Contains(got[ids[1]], "suggest/new bills") {
		t.Errorf("tags %q", got)
	}
}

// Tags that somebody changes while polya moves a message are left as they are.
func TestMoveGone(t *testing.T) {
	m := newMailbox(t)
	id := m.deliver(1)[0]
	s := &Settings{}
	s.Check()
	b := New(s, ours)
	if _, err := b.Folders(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.change(id, []string{"family"}, nil)
	if err := b.Move(t.Context(), filing.Untagged, id, ",travel"); !errors.Is(err, watching.ErrGone) {
		t.Error(err)
	}
	if got := m.tags()[id]; slices.Contains(got, "travel") {
		t.Errorf("tags %q", got)
	}
}

// Where a message leaves a query as another comes, no message gets the file of its neighbour.
func TestPathsMeanwhile(t *testing.T) {
	m := newMailbox(t)
	ids := m.deliver(12)
	for _, id := range ids[1:] {
		m.change(id, []string{"here"}, nil)
	}
	meanwhile := program(m.dir + "/meanwhile")
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *--output=files*) printf '%%s\\n' '+here -- %s' '-here -- %s' | notmuch tag --batch;; esac\nexec notmuch \"$@\"\n", quoted("id", ids[0]), quoted("id", ids[6]))
	if err := os.WriteFile(string(meanwhile), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	now, err := meanwhile.revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, len(ids) - 1} { // the second time nothing changes any more
		paths := map[string]string{}
		if err := meanwhile.paths(t.Context(), "tag:here", now, paths); err != nil {
			t.Fatal(err)
		}
		if len(paths) != want {
			t.Errorf("%d paths, want %d", len(paths), want)
		}
		for id, path := range paths {
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "<"+id+">") {
				t.Errorf("%q has the file %s: %v", id, path, err)
			}
		}
		if now, err = meanwhile.revision(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	if _, err := program("polya-no-such-program").run(t.Context(), "", "new"); err == nil || err.Error() != "polya-no-such-program: no such program" {
		t.Error(err)
	}
}

// Lines are as notmuch-dump(1) describes them, and what is none is left out.
func FuzzParseLine(f *testing.F) {
	f.Add("+new +a%20b%c3%bc -- id:a@b")
	f.Add(` -- id:"a ""b"""`)
	f.Add("#notmuch-dump batch-tag:3 tags")
	f.Fuzz(func(t *testing.T, line string) {
		if id, tags, ok := parseLine(line); ok {
			var again strings.Builder
			for _, tag := range tags {
				again.WriteString("+" + url.PathEscape(tag) + " ")
			}
			id2, tags2, ok2 := parseLine(again.String() + "-- " + quoted("id", id))
			if !ok2 || id2 != id || !slices.Equal(tags2, tags) {
				t.Errorf("%q: %q %q, then %q %q", line, id, tags, id2, tags2)
			}
		}
	})
}
