package harness

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify"
)

// Learn learns documents in one transaction and fits the model to them.
func Learn(c *classify.Classifier, docs []Document, read func(Document) classify.Document) {
	var batch classify.Batch
	for _, d := range docs {
		Check(batch.Train(d.Class, read(d)))
	}
	Must(c.Apply(context.Background(), &batch))
	Check(c.Refit(context.Background()))
}

// Verdict is a filter's answer for a message.
type Verdict struct {
	Spam, Unsure bool
	Score        float64 // the greater, the more like spam
}

// Tally counts verdicts.
type Tally struct{ Yes, Unsure, No int }

// Add counts one.
func (t *Tally) Add(yes, unsure bool) {
	switch {
	case unsure:
		t.Unsure++
	case yes:
		t.Yes++
	default:
		t.No++
	}
}

// String has yes, unsure and no.
func (t Tally) String() string { return fmt.Sprintf("%3d/%3d/%3d", t.Yes, t.Unsure, t.No) }

// Bogofilter is bogofilter with its default settings and a word list in a folder.
type Bogofilter struct{ program, dir string }

// NewBogofilter returns a bogofilter that has learned the documents, of which those of a
// class are spam, or nil if the program is not installed.
func NewBogofilter(dir string, docs []Document, spam string) *Bogofilter {
	program, err := exec.LookPath("bogofilter")
	if err != nil {
		return nil
	}
	b := &Bogofilter{program, Must(os.MkdirTemp(dir, "words"))}
	by := map[string][][]byte{}
	for _, d := range docs {
		flag := "-n"
		if d.Class == spam {
			flag = "-s"
		}
		by[flag] = append(by[flag], d.Raw)
	}
	for flag, messages := range by {
		b.run(messages, flag)
	}
	return b
}

// Ask returns its verdicts, none if b is nil.
func (b *Bogofilter) Ask(messages [][]byte) (verdicts []Verdict) {
	if b == nil {
		return nil
	}
	for line := range strings.Lines(b.run(messages, "-T")) { // path, verdict, spamicity
		fields := strings.Fields(line)
		if len(fields) != 3 {
			Failf("bogofilter: cannot read %.80q", line)
		}
		verdicts = append(verdicts, Verdict{fields[1] == "S", fields[1] == "U", Must(strconv.ParseFloat(fields[2], 64))})
	}
	if len(verdicts) != len(messages) {
		Failf("bogofilter: %d answers to %d messages", len(verdicts), len(messages))
	}
	return verdicts
}

// run gives it the messages as files.
func (b *Bogofilter) run(messages [][]byte, flag string) string {
	dir, remove := Scratch(b.dir)
	defer remove()
	var paths bytes.Buffer
	for i, raw := range messages {
		path := filepath.Join(dir, strconv.Itoa(i))
		Check(os.WriteFile(path, raw, 0o600))
		fmt.Fprintln(&paths, path)
	}
	cmd := exec.Command(b.program, "-C", "-d", b.dir, "-b", flag)
	cmd.Stdin = &paths
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 2 { // 0 to 2 are answers
		Failf("bogofilter %s: %w", flag, err)
	}
	return string(out)
}
