package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
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

// inBulk is what a training in steps leaves.
type inBulk struct {
	made   *bulk.Made
	errors []string
	notes  []string
}

// inSteps does what 'polya train' does as many machines would: paths are read in any order
// and some twice, packs come in any order, and Training and Shards go through files.
func inSteps(t *testing.T, training bulk.Training, database string, shards int, paths ...string) (inBulk, error) {
	t.Helper()
	training.At = time.Unix(1_700_000_000, 0)
	if err := training.Check(); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(training)
	if err != nil {
		t.Fatal(err)
	}
	packs := make([][][]byte, shards)
	reports := make([]*bulk.Report, len(paths))
	order := rand.Perm(len(paths))
	for _, i := range append(order, order[0]) { // one path was read twice
		var worker bulk.Training
		if err := json.Unmarshal(data, &worker); err != nil {
			t.Fatal(err)
		}
		reports[i], err = worker.Read(t.Context(), bulk.Input{Number: i, Path: paths[i]}, shards, func(shard int, pack []byte) error {
			packs[shard] = append(packs[shard], pack)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := bulk.Agree(reports); err != nil {
		return inBulk{}, err
	}
	var c inBulk
	documents := 0
	for _, r := range reports {
		c.errors, c.notes, documents = append(c.errors, r.Errors...), append(c.notes, r.Notes...), documents+r.Documents
	}
	var all []*bulk.Shard
	for _, p := range packs {
		rand.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
		s, err := bulk.NewShard(slices.Values(p))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
		documents -= s.Documents
	}
	if documents != 0 {
		t.Errorf("%d documents are in no shard", documents)
	}
	c.made, err = training.Make(t.Context(), database, given(all, nil), true)
	if c.made != nil {
		c.errors = append(c.errors, c.made.Errors...)
	}
	return c, err
}

// given gives shards, and then an error unless that is nil.
func given(shards []*bulk.Shard, err error) iter.Seq2[*bulk.Shard, error] {
	return func(yield func(*bulk.Shard, error) bool) {
		for _, s := range shards {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
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
			train := exec.Command("polya", slices.Concat([]string{"--db", one, "train"}, test.args, paths)...)
			var stdout, stderr bytes.Buffer
			train.Stdout, train.Stderr = &stdout, &stderr
			_ = train.Run() // or it says what it could not learn
			got, err := inSteps(t, test.training, steps, 1+rand.IntN(9), paths...)
			if err != nil {
				t.Fatal(err)
			}
			if mustRun(t, one, "", "dump") != mustRun(t, steps, "", "dump") {
				t.Error("the dumps differ")
			}
			if a, b := wholeDump(t, one, test.training.Dated), wholeDump(t, steps, test.training.Dated); a != b {
				t.Errorf("train has\n%.3000s\nin steps there is\n%.3000s", a, b)
			}
			said := ""
			for _, note := range append(got.notes, got.made.Repeats) {
				said += strings.TrimRight("note: "+strings.TrimPrefix(note, "note: "), "\n") + "\n"
			}
			said = strings.TrimSuffix(said, "note: \n")
			for _, err := range got.errors {
				said += "polya: " + err + "\n"
			}
			if a, b := inOrder(stderr.String()), inOrder(said); a != b {
				t.Errorf("train says\n%s\nin steps it is\n%s", a, b)
			}
			want := got.made.Summary + "\n"
			if !strings.HasSuffix(strings.ReplaceAll(stdout.String(), " (new)", ""), ": "+want) {
				t.Errorf("train prints\n%s\nin steps it is\n%s", stdout.String(), want)
			}
		})
	}
}

// learnedAt is when a document of a dump was learned.
var learnedAt = regexp.MustCompile(`(?m)^((?:document|digest)\t[^\t]*\t[^\t]*\t)\d+|^end\t.*`)

// wholeDump is a dump, with the times at which documents were learned if those are their own.
func wholeDump(t *testing.T, database string, dated bool) string {
	dump := mustRun(t, database, "", "dump", "--ledger")
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
	a, b, database := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "polya.db")
	write := func(path, zip string) {
		if err := os.WriteFile(path, []byte(`{"class":"x","attributes":{"zip":`+zip+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(a, `"a1"`)
	write(b, `12`)
	training := bulk.Training{Labelled: true}
	if _, err := inSteps(t, training, database, 2, a, b); err == nil || !strings.Contains(err.Error(), `attribute "zip" is category in `+a+" and real in "+b) {
		t.Error(err)
	}
	training.Kinds = []string{"zip=category"}
	if _, err := inSteps(t, training, database, 2, a, b); err != nil {
		t.Error(err)
	}
}

// A database is there when it is complete, and takes the place of none.
func TestBulkWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	database, box := filepath.Join(dir, "polya.db"), filepath.Join(dir, "a.mbox")
	if err := os.WriteFile(box, []byte(mbox(message("1", "x", "one"), message("2", "y", "two"))), 0o600); err != nil {
		t.Fatal(err)
	}
	training := bulk.Training{Class: "a", At: time.Now()}
	var packs [][]byte
	if _, err := training.Read(t.Context(), bulk.Input{Path: box}, 1, func(_ int, pack []byte) error {
		packs = append(packs, pack)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	shard := func() *bulk.Shard {
		s, err := bulk.NewShard(slices.Values(packs))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ended, end := context.WithCancel(t.Context())
	end()
	damaged, short := shard(), shard()
	damaged.Delta[len(damaged.Delta)/2]++
	short.Documents++
	lost := errors.New("a shard is lost")
	for what, make := range map[string]func() error{
		"lost": func() error {
			_, err := training.Make(t.Context(), database, given([]*bulk.Shard{shard()}, lost), true)
			return err
		},
		"ended": func() error {
			_, err := training.Make(ended, database, given([]*bulk.Shard{shard()}, nil), true)
			return err
		},
		"damaged": func() error {
			_, err := training.Make(t.Context(), database, given([]*bulk.Shard{damaged}, nil), true)
			return err
		},
		"short": func() error {
			_, err := training.Make(t.Context(), database, given([]*bulk.Shard{short}, nil), true)
			return err
		},
		"empty": func() error { _, err := training.Make(t.Context(), database, given(nil, nil), true); return err },
	} {
		if err := make(); err == nil {
			t.Errorf("%s: no error", what)
		}
		if names, _ := os.ReadDir(dir); len(names) != 1 {
			t.Errorf("%s: it leaves %v", what, names)
		}
	}
	if _, err := training.Make(t.Context(), database, given([]*bulk.Shard{shard()}, nil), false); err != nil {
		t.Fatal(err)
	}
	before := mustRun(t, database, "", "dump", "--ledger")
	if _, err := training.Make(t.Context(), database, given([]*bulk.Shard{shard()}, nil), true); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if mustRun(t, database, "", "dump", "--ledger") != before {
		t.Error("the database has changed")
	}
	if _, err := training.Read(ended, bulk.Input{Path: box}, 1, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Flags that contradict each other are refused.
func TestBulkFlags(t *testing.T) {
	t.Parallel()
	for want, training := range map[string]bulk.Training{
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
		if err := training.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", training, err, want)
		}
	}
}
