package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/internal/raced"
)

// twins are bogofilter and polya in its place, which have learned the same.
type twins struct {
	t            *testing.T
	theirs, ours []string // the command with its folder
	dir          string
}

func newTwins(t *testing.T) *twins {
	t.Helper()
	dir := t.TempDir()
	tw := &twins{t: t, dir: dir,
		theirs: []string{need(t, "bogofilter"), "-d", filepath.Join(dir, "theirs")},
		ours:   []string{"polya", "filter", "--bogofilter", "-d", filepath.Join(dir, "ours")},
	}
	for _, class := range []string{"spam", "travel", "work"} {
		folder, option := tw.mh(class), "-n"
		if class == "spam" {
			option = "-s"
		}
		for _, command := range [][]string{tw.theirs, tw.ours} {
			args := append(slices.Clone(command), option, "-B", folder)
			if f := piped(t, "", args...); f.code != 0 {
				t.Fatalf("%q: exit code %d: %s", args, f.code, f.stderr)
			}
		}
	}
	// The mail of work came last, and as recent lessons makes polya doubt spam.
	if f := piped(t, "", "polya", "calibrate", "--db", filepath.Join(dir, "ours", "polya.db")); f.code != 0 {
		t.Fatal(f.stderr)
	}
	return tw
}

// mh makes a folder of MH of the messages of a class.
func (tw *twins) mh(class string) string {
	tw.t.Helper()
	dir := filepath.Join(tw.dir, class)
	if err := os.Mkdir(dir, 0o700); err != nil {
		tw.t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(mailFolder, "train", class, "*.eml"))
	if err != nil || len(files) == 0 {
		tw.t.Fatalf("%s: %v", class, err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(name), ".eml")), content, 0o600)
		}
		if err != nil {
			tw.t.Fatal(err)
		}
	}
	return dir
}

// both runs both.
func (tw *twins) both(input string, args ...string) (theirs, ours filtered) {
	tw.t.Helper()
	return piped(tw.t, input, append(tw.theirs[:len(tw.theirs):len(tw.theirs)], args...)...),
		piped(tw.t, input, append(tw.ours[:len(tw.ours):len(tw.ours)], args...)...)
}

var (
	scores   = regexp.MustCompile(`\b\d\.\d+(e-\d+)?|\b[01]\b`)
	versions = regexp.MustCompile(`version=\S+`)
	fields   = regexp.MustCompile(`(?m)^X-Bogosity: .*\r?\n`)
)

// form is output without the numbers, which are not alike.
func form(out string) string {
	return versions.ReplaceAllString(scores.ReplaceAllString(out, "0"), "version=")
}

// Lines and exit codes equal bogofilter's.
func TestBogofilterLines(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	tw := newTwins(t)
	for _, name := range []string{"spam/003.eml", "spam/007.eml", "work/001.eml", "travel/001.eml"} {
		message := held(t, name)
		for _, options := range []string{"", "-v", "-t", "-T", "-TT", "-e", "-Te", "-ve", "-tv", "-TTv", "-U", "-q -v", "-C -v", "-l", "-vl"} {
			theirs, ours := tw.both(message, strings.Fields(options)...)
			if ours.code != theirs.code || form(ours.out) != form(theirs.out) {
				t.Errorf("%s %s: polya %d %q, bogofilter %d %q", name, options, ours.code, ours.out, theirs.code, theirs.out)
			}
		}
	}
}

// A message passes as through bogofilter, which however ends it with a newline, and the
// field stands elsewhere.
func TestBogofilterPasses(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	tw := newTwins(t)
	messages := strange(t)
	messages["forged"] = "From a@b  Mon Jan  5 10:00:00 2026\nX-Bogosity: Spam, forged\nSubject: hi\nX-Bogosity: Ham,\n folded\n\nX-Bogosity: body\n"
	messages["hi"] = held(t, "work/001.eml")
	for name, message := range messages {
		for _, options := range []string{"-p", "-pe"} {
			theirs, ours := tw.both(message, strings.Fields(options)...)
			first, _, _ := strings.Cut(message, "\n\n")
			if !strings.HasSuffix(message, "\n") || !strings.Contains(message, "\n\n") || strings.Contains(first, "\r") && !strings.HasPrefix(message, "Subject: hi\r\n") {
				theirs.out = ours.out // bogofilter adds line ends
			}
			if fields.ReplaceAllString(ours.out, "") != fields.ReplaceAllString(theirs.out, "") {
				t.Errorf("%s %s: %.300q, bogofilter %.300q", name, options, ours.out, theirs.out)
			}
			if n := len(fields.FindAllString(ours.out, -1)) - strings.Count(message, "X-Bogosity: body"); n != 1 {
				t.Errorf("%s %s: %d fields", name, options, n)
			}
			if strings.Contains(options, "e") && ours.code != 0 || ours.code > 2 || name == "hi" && ours.code != theirs.code {
				t.Errorf("%s %s: exit code %d, bogofilter %d", name, options, ours.code, theirs.code)
			}
		}
	}
}

// What bogofilter refuses polya refuses, and nothing of what it does is something else.
func TestBogofilterOptions(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	tw := newTwins(t)
	message := held(t, "spam/003.eml")
	for _, options := range []string{
		"-sn", "-SN", "-sS", "-nN", "-us", "-uS", "-uNs", "-I nothing", "name", "-v name", "-d",
		"-s", "-n", "-Ns", "-Sn", "-S", "-N", "-sp", "-uv", "-u -p -e", "-upe", "-V", "-h", "--passthrough --ham-true",
	} {
		theirs, ours := tw.both(message, strings.Fields(options)...)
		if ours.code != theirs.code {
			t.Errorf("%s: polya %d %.200q %q, bogofilter %d %.200q %q", options, ours.code, ours.out, ours.stderr, theirs.code, theirs.out, theirs.stderr)
		}
	}
	for _, options := range []string{"-c x", "-m 0.1", "-o 0.9,0.1", "-R", "-x flags", "-E 1", "-k 4", "-y 0", "-H", "-D", "-Q", "-L tag", "--robx=0.5", "-Z"} {
		if f := piped(t, message, append(tw.ours, strings.Fields(options)...)...); f.code != 3 || f.out != "" || !strings.HasPrefix(f.stderr, "polya: ") {
			t.Errorf("%s: exit code %d, %q %q", options, f.code, f.out, f.stderr)
		}
	}
	// Without a database too.
	none := &twins{t: t, theirs: []string{tw.theirs[0], "-d", t.TempDir()}, ours: []string{"polya", "filter", "--bogofilter", "-d", t.TempDir()}}
	for _, options := range []string{"", "-v", "-p", "-pe", "-T", "-u", "-upe", "-s"} {
		if theirs, ours := none.both(message, strings.Fields(options)...); ours.code != theirs.code {
			t.Errorf("%s without a database: polya %d %s, bogofilter %d %s", options, ours.code, ours.stderr, theirs.code, theirs.stderr)
		}
	}
}

// Mailboxes, Maildirs, folders of MH and lists of files are read as bogofilter reads them.
func TestBogofilterInputs(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	tw := newTwins(t)
	var mailbox strings.Builder
	maildir := filepath.Join(tw.dir, "Maildir")
	var names []string
	for i, name := range []string{"spam/003.eml", "work/001.eml", "work/002.eml"} {
		message := held(t, name)
		mailbox.WriteString("From a@b  Mon Jan  5 10:00:00 2026\n" + message + "\n")
		sub := []string{"new", "cur", "cur"}[i]
		path := filepath.Join(maildir, sub, string(rune('1'+i)))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(message), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Join(mailFolder, "held", name))
	}
	box := filepath.Join(tw.dir, "box")
	if err := os.WriteFile(box, []byte(mailbox.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	list := strings.Join(append(names, maildir), "\n") + "\n"
	for _, c := range []struct{ input, options string }{
		{mailbox.String(), "-M"}, {mailbox.String(), "-Mv"}, {mailbox.String(), "-MT"}, {mailbox.String(), "-M -t"}, {mailbox.String(), "-M -e"},
		{"", "-Mv -I " + box}, {"", "-v -M -B " + box}, {"", "-v -B " + strings.Join(names, " ")}, {"", "-T -B " + strings.Join(names, " ")},
		{"", "-t -B " + strings.Join(names, " ")}, {"", "-TT -B " + names[0]}, {list, "-bv"}, {list, "-bT"}, {list, "-b"}, {"", "-v -B " + filepath.Join(tw.dir, "work")},
		{"", "-v -I " + names[0]},
	} {
		theirs, ours := tw.both(c.input, strings.Fields(c.options)...)
		// Folders are read in the order of the names, and not as they lie on the disk.
		if ours.code != theirs.code || sorted(form(ours.out)) != sorted(form(theirs.out)) {
			t.Errorf("%s: polya %d\n%s%s\nbogofilter %d\n%s%s", c.options, ours.code, ours.out, ours.stderr, theirs.code, theirs.out, theirs.stderr)
		}
	}
	theirs, ours := tw.both(mailbox.String(), "-Mpe")
	if fields.ReplaceAllString(ours.out, "") != fields.ReplaceAllString(theirs.out, "") || len(fields.FindAllString(ours.out, -1)) != 3 {
		t.Errorf("a mailbox does not pass: %d bytes, bogofilter %d", len(ours.out), len(theirs.out))
	}
	for i, command := range [][]string{tw.theirs, tw.ours} {
		out := filepath.Join(tw.dir, string(rune('a'+i)))
		if f := piped(t, held(t, "work/001.eml"), append(command, "-p", "-O", out)...); f.code != 1 || f.out != "" {
			t.Errorf("%q: exit code %d, %q", command, f.code, f.out)
		}
		if b, _ := os.ReadFile(out); fields.ReplaceAllString(string(b), "") != held(t, "work/001.eml") {
			t.Errorf("%q: -O has %d bytes", command, len(b))
		}
	}
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What is learned can be learned as the other, and taken back.
func TestBogofilterLearning(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	polya := func(message string, args ...string) filtered {
		t.Helper()
		f := piped(t, message, append([]string{"polya", "filter", "--bogofilter", "-d", dir}, args...)...)
		if f.code == 3 {
			t.Errorf("%q: %s", args, f.stderr)
		}
		return f
	}
	counts := func(want string) {
		t.Helper()
		info, _, _ := strings.Cut(piped(t, "", "polya", "--db", filepath.Join(dir, "polya.db"), "info").out, "With --is")
		var got []string
		for _, line := range strings.Split(info, "\n") {
			if fields := strings.Fields(line); len(fields) > 2 && (fields[0] == "spam" || fields[0] == "ham") && fields[1] != "0" {
				got = append(got, fields[0]+" "+fields[1])
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("learned %q, want %q", got, want)
		}
	}
	a, b := held(t, "spam/003.eml"), held(t, "work/001.eml")
	polya(a, "-n")
	counts("ham 1")
	polya(a, "-Ns")
	counts("spam 1")
	polya(a, "-s")
	polya(b, "-n")
	counts("ham 1, spam 1")
	polya(a, "-S")
	counts("ham 1")
	if f := polya(a, "-sv"); f.stderr != "# 1 message\n" {
		t.Errorf("%q", f.stderr)
	}
	polya(held(t, "spam/002.eml"), "-u") // unsure, with so few
	counts("ham 1, spam 1")
	for class, option := range map[string]string{"spam": "-s", "work": "-n"} {
		files, _ := filepath.Glob(filepath.Join(mailFolder, "train", class, "*.eml"))
		polya("", append([]string{option, "-B"}, files...)...)
	}
	counts("ham 52, spam 52")
	if f := polya(held(t, "spam/001.eml"), "-upe"); !strings.HasPrefix(f.out, "X-Bogosity: Spam") {
		t.Errorf("%.100q", f.out)
	}
	counts("ham 52, spam 53")
	forgot := piped(t, "", "polya", "--db", filepath.Join(dir, "polya.db"), "undo", "--source", "auto", "--yes")
	if !strings.Contains(forgot.out, "took back 1 document (spam 1);") {
		t.Errorf("%+v", forgot)
	}
}

// A link of the name of bogofilter is bogofilter.
func TestBogofilterName(t *testing.T) {
	t.Parallel()
	if options, ok := bogofilterArguments("/usr/bin/bogofilter", []string{"-v"}); !ok || len(options) != 1 {
		t.Errorf("%q, %v", options, ok)
	}
	for _, args := range [][]string{{"filter", "--bogofilter", "-v"}, {"--db", "x", "filter", "--bogofilter"}} {
		if options, ok := bogofilterArguments("polya", args); !ok || strings.Contains(strings.Join(options, " "), "filter") {
			t.Errorf("%q: %q, %v", args, options, ok)
		}
	}
	for _, args := range [][]string{nil, {"filter"}, {"filter", "-p", "--bogofilter"}, {"train", "filter", "--bogofilter"}} {
		if options, ok := bogofilterArguments("polya", args); ok {
			t.Errorf("%q: %q", args, options)
		}
	}
}

// A message goes out also if an option before -p is none that is understood.
func TestBogofilterPassesMisuse(t *testing.T) {
	t.Parallel()
	const message = "Subject: hi\n\nbody"
	for _, args := range []string{"-3 -p -e", "-3pe", "-o0.9,0.1 -p", "--nonsense --passthrough"} {
		f := piped(t, message, append([]string{"polya", "filter", "--bogofilter"}, strings.Fields(args)...)...)
		if f.code != command.Trouble || f.out != message || strings.Count(f.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", args, f)
		}
	}
}
