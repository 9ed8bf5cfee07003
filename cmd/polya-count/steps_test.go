package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/polya/bulk"
	"github.com/polya-classifier/polya/store/count"
)

// inSteps does what 'polya train' does as many machines would: paths are read in any order
// and some twice, all that passes between steps comes in any order, and the Training goes
// through a file. It returns the result and the dump.
func inSteps(t *testing.T, training bulk.Training, paths ...string) (*bulk.Result, string) {
	t.Helper()
	training.At, training.Shards = time.Unix(1_700_000_000, 0), 1+rand.IntN(9)
	training.Ledger = cmp.Or(training.Ledger, count.LedgerFull)
	if err := training.Check(); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(training)
	if err != nil {
		t.Fatal(err)
	}
	worker := func() (w bulk.Training) {
		if err := json.Unmarshal(data, &w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	shuffled := func(list [][]byte) iter.Seq[[]byte] {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return slices.Values(list)
	}
	packs := map[int][][]byte{}
	reports := make([]*bulk.Report, len(paths))
	order := rand.Perm(len(paths))
	for _, i := range append(order, order[0]) { // one path was read twice
		w := worker()
		reports[i], err = w.Read(t.Context(), bulk.Input{Number: i, Path: paths[i]}, nil, func(shard int, pack []byte) error {
			packs[shard] = append(packs[shard], pack)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	portions := map[int][][]byte{}
	var settled []*bulk.Settled
	for shard, list := range packs {
		w := worker()
		s, err := w.Settle(shard, shuffled(list), func(part int, portion []byte) error {
			portions[part] = append(portions[part], portion)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		settled = append(settled, s)
	}
	files := map[string]string{}
	var written []*bulk.Written
	for part, list := range portions {
		w := worker()
		var file strings.Builder
		p, err := w.Write(part, shuffled(list), &file)
		if err != nil {
			t.Fatal(err)
		}
		files[w.PartName("a", part)] = file.String()
		written = append(written, p)
	}
	w := worker()
	result, err := w.Finish(len(paths), reports, settled, written, func(part int, write func(io.Writer) error) error {
		var file strings.Builder
		err := write(&file)
		files[w.PartName("a", part)] = file.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dump := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		dump += files[name]
	}
	if _, ended := files[w.End("a")]; ended == (result.Failed != "") {
		t.Errorf("the dump has an end: %v, but: %q", ended, result.Failed)
	}
	// What a runner does twice, or loses, is seen.
	for what, again := range map[string]func() (*bulk.Result, error){
		"a report": func() (*bulk.Result, error) { return w.Finish(len(paths), reports[1:], settled, written, nil) },
		"a shard":  func() (*bulk.Result, error) { return w.Finish(len(paths), reports, settled[1:], written, nil) },
		"a part":   func() (*bulk.Result, error) { return w.Finish(len(paths), reports, settled, written[1:], nil) },
		"one twice": func() (*bulk.Result, error) {
			return w.Finish(len(paths), reports, settled, append(written[1:], written[1]), nil)
		},
	} {
		if what == "one twice" && len(written) == 1 {
			continue
		}
		if r, err := again(); err != nil || !strings.Contains(r.Failed, "lost something, or done it twice") {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	return result, dump
}

func message(id, subject, body string) string {
	return fmt.Sprintf("From: a@example.org\nMessage-ID: <%s@example.org>\nSubject: %s\n\n%s\n", id, subject, body)
}

func mbox(messages ...string) string {
	text := ""
	for _, m := range messages {
		text += "From a@example.org Mon Jan  5 10:00:00 2026\n" + m + "\n"
	}
	return text
}

// lines of JSON: half of their ids come again in the next part, with another class or text.
func jsonLines(part int) string {
	text := ""
	for i := range 60 {
		text += fmt.Sprintf(`{"id":"%d","class":"c%d","text":"word%d other%d part%d","attributes":{"size":%d,"day":"d%d"}}`+"\n",
			part*30+i, (i+part)%3, i%7, i%5, part*(i%2), i, i%4)
	}
	return text
}

// What is counted in steps is what one training counts, to the byte, and so is what is said
// of it.
func TestBulk(t *testing.T) {
	t.Parallel()
	folder := map[string]string{
		"f/spam/1.eml": message("1", "win", "money now"), "f/spam/2.eml": message("2", "", "more money"),
		"f/ham/1.eml": message("3", "lunch", "see you"), "f/ham/copy.eml": message("1", "Fwd", "money now"),
		"f/ham/page.html": "<html><body>a page</body></html>", "f/ham/empty": "", "f/spam/picture": "\x89PNG\r\n\x1a\n\x00\x00\x00\x00",
		"f/ham/more.jsonl": `{"text":"one"}` + "\nno json\n", "g/spam/9.eml": message("9", "win", "other"), "g/ham/1.eml": message("2", "lunch", "more money"),
	}
	boxes := map[string]string{
		"a.mbox": mbox(message("1", "x", "one two"), message("2", "y", "three"), message("1", "x", "one two")),
		"b.mbox": mbox(message("2", "another subject", "three"), message("5", "z", "five"), message("6", "", "")),
		"c.eml":  "Date: Mon, 5 Jan 2026 10:00:00 +0000\n" + message("7", "seven", "and more"),
	}
	lines := map[string]string{"1.jsonl": jsonLines(0), "2.jsonl": jsonLines(1) + "{}\n" + `{"class":"a\nb","text":"x"}` + "\n{\"class\"\n", "3.jsonl": jsonLines(2)}
	dated := ""
	for i := range 40 { // each id twice, and only its time differs
		dated += fmt.Sprintf(`{"id":"%d","class":"a","text":"word%d","time":"2026-01-%02dT00:00:00Z"}`+"\n", i%20, i%20, 1+i%28)
	}
	lines["4.jsonl"] = dated
	tables := map[string]string{
		"1.csv": "class,size,day\na,1,mon\nb,2,tue\na,1,mon\n", "2.csv": "class,size,day\nb,3,mon\na,x,tue\n,4,mon\na,1,mon\n",
	}
	for name, test := range map[string]struct {
		files    map[string]string
		training bulk.Training
		args     []string // of train
		paths    []string
	}{
		"folders": {folder, bulk.Training{Folders: true}, []string{"--folders"}, []string{"f", "g"}},
		"folders, digests": {folder, bulk.Training{Folders: true, Ledger: count.LedgerDigest, Exclude: []string{"none"}},
			[]string{"--folders", "--ledger", "digest", "--exclude", "none"}, []string{"f", "g"}},
		"no ledger": {folder, bulk.Training{Folders: true, Ledger: count.LedgerNone, Analyzer: "polya-6 lang=auto"},
			[]string{"--folders", "--ledger", "none", "--analyzer", "polya-6 lang=auto"}, []string{"f", "g", "g"}},
		"mboxes": {boxes, bulk.Training{Class: "ham", Source: "me", Dated: true, Attributes: []string{"n=1"}},
			[]string{"--source", "me", "--dated", "--attr", "n=1", "ham"}, []string{"a.mbox", "b.mbox", "c.eml", "a.mbox", "absent.mbox"}},
		"JSON lines": {lines, bulk.Training{Labelled: true}, []string{"--labelled"}, []string{"1.jsonl", "2.jsonl", "3.jsonl"}},
		"JSON lines, digests": {lines, bulk.Training{Labelled: true, Ledger: count.LedgerDigest},
			[]string{"--labelled", "--ledger", "digest"}, []string{"3.jsonl", "2.jsonl", "1.jsonl"}},
		"JSON lines, no ledger": {lines, bulk.Training{Labelled: true, Ledger: count.LedgerNone},
			[]string{"--labelled", "--ledger", "none"}, []string{"1.jsonl", "2.jsonl"}},
		"JSON lines, dated": {lines, bulk.Training{Labelled: true, Dated: true}, []string{"--labelled", "--dated"}, []string{"4.jsonl"}},
		"tables":            {tables, bulk.Training{Labelled: true, Kinds: []string{"size=real"}}, []string{"--labelled", "--kind", "size=real"}, []string{"1.csv", "2.csv"}},
		"tags":              {folder, bulk.Training{Folders: true, Tags: true}, []string{"--folders", "--tags"}, []string{"g", "f"}},
		"a tag":             {boxes, bulk.Training{TagNames: []string{"b", "a"}, Format: "mbox"}, []string{"--tag", "b", "--tag", "a", "--format", "mbox"}, []string{"a.mbox", "b.mbox"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range test.files {
				path := filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			paths := make([]string, len(test.paths))
			for i, path := range test.paths {
				paths[i] = filepath.Join(dir, path)
			}
			one, steps := filepath.Join(dir, "one.polya"), filepath.Join(dir, "steps.polya")
			train := exec.Command("polya", slices.Concat([]string{"--db", one, "train", "--no-calibrate"}, test.args, paths)...)
			var stdout, stderr bytes.Buffer
			train.Stdout, train.Stderr = &stdout, &stderr
			_ = train.Run() // or it says what it could not learn
			result, dump := inSteps(t, test.training, paths...)
			if result.Failed != "" {
				t.Fatal(result.Failed)
			}
			if a, b := wholeDump(mustRun(t, one, "", "dump", "--ledger"), test.training.Dated), wholeDump(dump, test.training.Dated); a != b {
				t.Errorf("train has\n%.3000s\nin steps there is\n%.3000s", a, b)
			}
			mustRun(t, steps, dump, "load", "-")
			if mustRun(t, one, "", "dump") != mustRun(t, steps, "", "dump") {
				t.Error("loaded, it has another dump")
			}
			said := strings.Join(result.Notes, "")
			for _, err := range result.Errors {
				said += "polya: " + err + "\n"
			}
			if a, b := inOrder(stderr.String()), inOrder(said); a != b {
				t.Errorf("train says\n%s\nin steps it is\n%s", a, b)
			}
			want := fmt.Sprintf("learned %d, moved %d, already learned %d; ", result.Learned, result.Moved, result.Already)
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("train prints\n%s\nin steps it is\n%s", stdout.String(), want)
			}
		})
	}
}

// learnedAt is when a document of a dump was learned.
var learnedAt = regexp.MustCompile(`(?m)^((?:document|digest)\t[^\t]*\t[^\t]*\t)\d+|^end\t.*`)

// wholeDump is a dump, with the times at which documents were learned if those are their own.
func wholeDump(dump string, dated bool) string {
	if dated {
		return dump
	}
	return learnedAt.ReplaceAllString(dump, "$1")
}

func inOrder(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// Where two machines take an attribute for different things, nothing is counted.
func TestBulkDisagrees(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	write := func(path, zip string) {
		if err := os.WriteFile(path, []byte(`{"class":"x","attributes":{"zip":`+zip+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(a, `"a1"`)
	write(b, `12`)
	training := bulk.Training{Labelled: true}
	if r, _ := inSteps(t, training, a, b); !strings.Contains(r.Failed, `attribute "zip" is category in `+a+" and real in "+b) {
		t.Error(r)
	}
	training.Kinds = []string{"zip=category"}
	if r, _ := inSteps(t, training, a, b); r.Failed != "" {
		t.Error(r)
	}
}

// Copies of one message under other headers, in whatever shares of the messages and in
// whatever order, leave the same dump: by one training, by trainings that are merged, and
// counted in steps.
func TestBulkCopies(t *testing.T) {
	t.Parallel()
	var boxes []string
	for part := range 4 {
		box := ""
		for i := range 40 {
			id := (part*17 + i) % 60
			box += mbox(fmt.Sprintf("X-Copy: copy%d\n", (part*i)%5) + message(fmt.Sprint(id), "x", fmt.Sprint("word", id%7, " and ", id%9)))
		}
		boxes = append(boxes, box)
	}
	want := ""
	for range 3 {
		rand.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
		dir := t.TempDir()
		var paths, databases []string
		for i, box := range boxes {
			path := filepath.Join(dir, fmt.Sprint(i, ".mbox"))
			if err := os.WriteFile(path, []byte(box), 0o600); err != nil {
				t.Fatal(err)
			}
			paths, databases = append(paths, path), append(databases, path+".polya")
			mustRun(t, databases[i], "", "train", "--no-calibrate", "ham", path)
		}
		one := filepath.Join(dir, "one.polya")
		mustRun(t, one, "", slices.Concat([]string{"train", "--no-calibrate", "ham"}, paths)...)
		mustRun(t, databases[0], "", slices.Concat([]string{"merge", "--no-calibrate"}, databases[1:])...)
		_, dump := inSteps(t, bulk.Training{Class: "ham"}, paths...)
		for _, got := range []string{dump, mustRun(t, one, "", "dump", "--ledger"), mustRun(t, databases[0], "", "dump", "--ledger")} {
			got = wholeDump(got, false)
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("there is\n%.2000s\nand\n%.2000s", got, want)
			}
		}
	}
}

// The files of a dump are loaded in the order of their names, whatever order they are given in,
// and a part that is missing or not of it is refused.
func TestLoadParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.polya"), filepath.Join(dir, "two.polya")
	mustRun(t, one, jsonLines(0), "train", "--no-calibrate", "--labelled", "--format", "jsonl", "-")
	dump := mustRun(t, one, "", "dump", "--ledger")
	var parts []string
	for i := range 3 {
		parts = append(parts, filepath.Join(dir, fmt.Sprint("part", i)))
		text := dump[len(dump)*i/3 : len(dump)*(i+1)/3]
		if err := os.WriteFile(parts[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range [][]string{{parts[0], parts[1]}, {parts[1], parts[2]}, {parts[0], parts[2]}, {parts[0], parts[1], parts[1], parts[2]}} {
		if out, err := exec.Command("polya", slices.Concat([]string{"--db", two, "load"}, wrong)...).CombinedOutput(); err == nil {
			t.Errorf("%v were loaded: %s", wrong, out)
		}
	}
	mustRun(t, two, "", "load", parts[2], parts[0], parts[1])
	if mustRun(t, two, "", "dump", "--ledger") != dump {
		t.Error("loaded, it has another dump")
	}
}

// Flags that contradict each other are refused.
func TestBulkFlags(t *testing.T) {
	t.Parallel()
	for want, training := range map[string]bulk.Training{
		"--shards -1":       {Class: "a", Shards: -1},
		"--shards 1025":     {Class: "a", Shards: 1025},
		"want one of":       {},
		"and --tag":         {Folders: true, Labelled: true},
		"--tags needs":      {Class: "a", Tags: true},
		"reads no classes":  {Labelled: true, NoClasses: true},
		"--class:":          {Class: "a\nb"},
		"--tag:":            {TagNames: []string{"a\nb"}},
		"unknown format":    {Class: "a", Format: "pdf"},
		"--analyzer":        {Class: "a", Analyzer: "none"},
		"no kind is called": {Class: "a", Kinds: []string{"a=b"}},
		"want NAME=VALUE":   {Class: "a", Attributes: []string{"a"}},
	} {
		training.Shards = cmp.Or(training.Shards, 1)
		if err := training.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", training, err, want)
		}
	}
}
