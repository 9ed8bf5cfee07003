package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// labelled are the options of a walk through documents that state their classes.
var labelled = corpus.Options{Several: true, ClassColumn: "class"}

// inSteps does what 'polya train' does as many machines would: paths are read in any order
// and some twice, all that passes between steps comes in any order, and the training goes
// through a file. It returns the result and the dump.
func inSteps(t *testing.T, with training, paths ...string) (*result, string) {
	t.Helper()
	with.At, with.Shards = time.Unix(1_700_000_000, 0), 1+rand.IntN(9)
	with.Ledger = cmp.Or(with.Ledger, count.LedgerFull)
	if err := with.check(); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(with)
	if err != nil {
		t.Fatal(err)
	}
	worker := func() (w training) {
		if err := json.Unmarshal(data, &w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	packs := map[int][][]byte{}
	reports := make([]*report, len(paths))
	order := rand.Perm(len(paths))
	for _, i := range append(order, order[0]) { // one path was read twice
		w := worker()
		reports[i], err = w.read(t.Context(), input{Number: i, Path: paths[i]}, nil, func(shard int, pack []byte) { packs[shard] = append(packs[shard], pack) })
		if err != nil {
			t.Fatal(err)
		}
	}
	w := worker()
	all, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var shards []*settled
	var databases []*store.DB
	for shard, list := range packs {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var file bytes.Buffer
		s, err := w.settle(t.Context(), shard, slices.Values(list), func(write func(io.Writer) error) error { return write(&file) })
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
		if s.Failed != "" {
			continue
		}
		db, err := store.OpenMemory(file.Bytes(), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		databases = append(databases, db)
	}
	// What a runner does twice, or loses, is seen.
	for what, r := range map[string]*result{
		"a report": w.result(len(paths), reports[1:], shards), "a shard": w.result(len(paths), reports, shards[1:]),
		"one twice": w.result(len(paths), reports, append(shards[1:], shards[len(shards)-1])),
	} {
		if (what != "one twice" || len(shards) > 1) && !strings.Contains(r.Failed, "lost something, or done it twice") {
			t.Errorf("%s: %+v", what, r)
		}
	}
	result := w.result(len(paths), reports, shards)
	var dump bytes.Buffer
	_, err = all.Merge(t.Context(), store.MergeOptions{}, databases...)
	if err := errors.Join(err, all.Dump(t.Context(), &dump, true)); err != nil && result.Failed == "" {
		t.Fatal(err)
	}
	return result, dump.String()
}

func mailWith(id, subject, body string) string {
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
// of it, except of ids that several documents have.
func TestBulk(t *testing.T) {
	t.Parallel()
	program := polya(t)
	folder := map[string]string{
		"f/spam/1.eml": mailWith("1", "win", "money now"), "f/spam/2.eml": mailWith("2", "", "more money"),
		"f/ham/1.eml": mailWith("3", "lunch", "see you"), "f/ham/copy.eml": mailWith("1", "Fwd", "money now"),
		"f/ham/page.html": "<html><body>a page</body></html>", "f/ham/empty": "", "f/spam/picture": "\x89PNG\r\n\x1a\n\x00\x00\x00\x00",
		"f/ham/more.jsonl": `{"text":"one"}` + "\nno json\n", "g/spam/9.eml": mailWith("9", "win", "other"), "g/ham/1.eml": mailWith("2", "lunch", "more money"),
	}
	boxes := map[string]string{
		"a.mbox": mbox(mailWith("1", "x", "one two"), mailWith("2", "y", "three"), mailWith("1", "x", "one two")),
		"b.mbox": mbox(mailWith("2", "another subject", "three"), mailWith("5", "z", "five"), mailWith("6", "", "")),
		"c.eml":  "Date: Mon, 5 Jan 2026 10:00:00 +0000\n" + mailWith("7", "seven", "and more"),
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
		files map[string]string
		with  training
		args  []string // of train
		paths []string
	}{
		"folders": {folder, training{Folders: true}, []string{"--folders"}, []string{"f", "g"}},
		"folders, digests": {folder, training{Folders: true, Ledger: count.LedgerDigest, Options: corpus.Options{Exclude: []string{"none"}}},
			[]string{"--folders", "--ledger", "digest", "--exclude", "none"}, []string{"f", "g"}},
		"no ledger": {folder, training{Folders: true, Ledger: count.LedgerNone, Analyzer: "polya-7 lang=auto"},
			[]string{"--folders", "--ledger", "none", "--analyzer", "polya-7 lang=auto"}, []string{"f", "g", "g"}},
		"mboxes": {boxes, training{Class: "ham", Source: "me", Dated: true, Attributes: []string{"n=1"}},
			[]string{"--source", "me", "--dated", "--attr", "n=1", "ham"}, []string{"a.mbox", "b.mbox", "c.eml", "a.mbox", "absent.mbox"}},
		"JSON lines": {lines, training{Labelled: true, Options: labelled}, []string{"--labelled"}, []string{"1.jsonl", "2.jsonl", "3.jsonl"}},
		"JSON lines, digests": {lines, training{Labelled: true, Options: labelled, Ledger: count.LedgerDigest},
			[]string{"--labelled", "--ledger", "digest"}, []string{"3.jsonl", "2.jsonl", "1.jsonl"}},
		"JSON lines, no ledger": {lines, training{Labelled: true, Options: labelled, Ledger: count.LedgerNone},
			[]string{"--labelled", "--ledger", "none"}, []string{"1.jsonl", "2.jsonl"}},
		"JSON lines, dated": {lines, training{Labelled: true, Options: labelled, Dated: true}, []string{"--labelled", "--dated"}, []string{"4.jsonl"}},
		"tables":            {tables, training{Labelled: true, Options: labelled, Kinds: []string{"size=real"}}, []string{"--labelled", "--kind", "size=real"}, []string{"1.csv", "2.csv"}},
		"tags":              {folder, training{Folders: true, Tags: true}, []string{"--folders", "--tags"}, []string{"g", "f"}},
		"a tag":             {boxes, training{TagNames: []string{"b", "a"}, Options: corpus.Options{Format: corpus.Mbox}}, []string{"--tag", "b", "--tag", "a", "--format", "mbox"}, []string{"a.mbox", "b.mbox"}},
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
			one := filepath.Join(dir, "one.polya")
			train := exec.Command(program, slices.Concat([]string{"--db", one, "train", "--no-calibrate"}, test.args, paths)...)
			var stdout, stderr bytes.Buffer
			train.Stdout, train.Stderr = &stdout, &stderr
			_ = train.Run() // or it says what it could not learn
			result, dump := inSteps(t, test.with, paths...)
			if result.Failed != "" {
				t.Fatal(result.Failed)
			}
			if a, b := wholeDump(mustRun(t, program, one, "dump", "--ledger"), test.with.Dated), wholeDump(dump, test.with.Dated); a != b {
				t.Errorf("train has\n%.3000s\nin steps there is\n%.3000s", a, b)
			}
			said := strings.Join(result.Notes, "")
			for _, err := range result.Errors {
				said += "polya: " + err + "\n"
			}
			if a, b := inOrder(similar(ofIDs.ReplaceAllString(stderr.String(), ""))), inOrder(similar(said)); a != b {
				t.Errorf("train says\n%s\nin steps it is\n%s", a, b)
			}
			want := fmt.Sprintf("learned %d, moved %d, already learned %d; ", result.Learned, result.Moved, result.Already)
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("train prints\n%s\nin steps it is\n%s", stdout.String(), want)
			}
		})
	}
}

// ofIDs matches what train says of ids that several documents have.
var ofIDs = regexp.MustCompile(`(?m)^note: \d+ ids? names? several documents .*\n`)

// wholeDump is a dump, with the times at which documents were learned if those are their own.
func wholeDump(dump string, dated bool) string {
	if dated {
		return dump
	}
	return timeless(dump)
}

// mustRun runs polya with a database.
func mustRun(t *testing.T, program, database string, args ...string) string {
	t.Helper()
	var complaint bytes.Buffer
	cmd := exec.Command(program, append([]string{"--db", database}, args...)...)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("polya %q: %v: %s", args, err, complaint.String())
	}
	return string(out)
}

// copies are the errors about copies of documents of another class, and how many more train has
// left out behind the first.
var copies = regexp.MustCompile(`(?m)^polya: .*: stays in the class .*?(?:; and (\d+) more such errors.*)?\n`)

// similar has in place of those errors how many there are.
func similar(said string) string {
	n := 0
	said = copies.ReplaceAllStringFunc(said, func(line string) string {
		more, _ := strconv.Atoi(copies.FindStringSubmatch(line)[1])
		n += 1 + more
		return ""
	})
	return fmt.Sprintf("%s%d copies\n", said, n)
}

func inOrder(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// Where two machines take an attribute for different things, nothing is counted.
func TestBulkDisagrees(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	write(t, a, `{"class":"x","attributes":{"zip":"a1"}}`)
	write(t, b, `{"class":"x","attributes":{"zip":12}}`)
	with := training{Labelled: true, Options: labelled}
	if r, _ := inSteps(t, with, a, b); !strings.Contains(r.Failed, `attribute "zip" is category in `+a+" and real in "+b) {
		t.Error(r)
	}
	with.Kinds = []string{"zip=category"}
	if r, _ := inSteps(t, with, a, b); r.Failed != "" {
		t.Error(r)
	}
}

// Columns of a Parquet file have any names, and there may be several texts.
func TestNamedColumns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.parquet")
	var file bytes.Buffer
	if err := parquet.Write(&file, []struct{ Label, Title, Body string }{{"a", "one", "two"}}); err != nil {
		t.Fatal(err)
	}
	write(t, path, file.String())
	with := training{Labelled: true, Options: corpus.Options{Several: true, ClassColumn: "Label", TextColumns: []string{"Title", "Body"}}, Ledger: count.LedgerFull, Shards: 1}
	from, err := open(t.Context(), &with, path)
	if err == nil {
		err = with.check()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	r, err := with.read(t.Context(), input{Path: path}, from, func(int, []byte) {})
	if err != nil || r.Documents != 1 || len(r.Errors) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Copies of one message under other headers, in whatever shares of the messages and in
// whatever order, leave the same dump: by one training, by trainings that are merged, and
// counted in steps.
func TestBulkCopies(t *testing.T) {
	t.Parallel()
	program := polya(t)
	var boxes []string
	for part := range 4 {
		box := ""
		for i := range 40 {
			id := (part*17 + i) % 60
			box += mbox(fmt.Sprintf("X-Copy: copy%d\n", (part*i)%5) + mailWith(fmt.Sprint(id), "x", fmt.Sprint("word", id%7, " and ", id%9)))
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
			mustRun(t, program, databases[i], "train", "--no-calibrate", "ham", path)
		}
		one := filepath.Join(dir, "one.polya")
		mustRun(t, program, one, slices.Concat([]string{"train", "--no-calibrate", "ham"}, paths)...)
		mustRun(t, program, databases[0], slices.Concat([]string{"merge", "--no-calibrate"}, databases[1:])...)
		_, dump := inSteps(t, training{Class: "ham"}, paths...)
		for _, got := range []string{dump, mustRun(t, program, one, "dump", "--ledger"), mustRun(t, program, databases[0], "dump", "--ledger")} {
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

// Flags that contradict each other are refused.
func TestBulkFlags(t *testing.T) {
	t.Parallel()
	for want, with := range map[string]training{
		"--shards -1":       {Class: "a", Shards: -1},
		"--shards 1025":     {Class: "a", Shards: 1025},
		"want one of":       {},
		"and --tag":         {Folders: true, Labelled: true},
		"--tags needs":      {Class: "a", Tags: true},
		"--class:":          {Class: "a\nb"},
		"--tag:":            {TagNames: []string{"a\nb"}},
		"--analyzer":        {Class: "a", Analyzer: "none"},
		"no kind is called": {Class: "a", Kinds: []string{"a=b"}},
		"want NAME=VALUE":   {Class: "a", Attributes: []string{"a"}},
	} {
		with.Shards = cmp.Or(with.Shards, 1)
		if err := with.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", with, err, want)
		}
	}
}
