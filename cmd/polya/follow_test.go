package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/store"
)

// A database that follows a log answers and says how far it is; commands that would change
// it say what to do instead, and change nothing.
func TestFollowingDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "node.polya")
	c, err := classify.Open(path, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Store().Follow(store.Stream{Name: "trainings", Created: time.Unix(1_790_000_000, 0)}, 0); err != nil {
		t.Fatal(err)
	}
	var log []store.Logged
	for i, text := range []string{"cheap watches", "meeting on monday", "cheap offer", "minutes of the meeting"} {
		var b classify.Batch
		if err := b.Train([]string{"spam", "ham"}[i%2], c.Document([]byte(text))); err != nil {
			t.Fatal(err)
		}
		log = append(log, store.Logged{Delta: b.Delta(), Position: uint64(1000 + i)})
	}
	if _, err := c.ApplyLog(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	polya := func(args ...string) (stdout, stderr string, err error) {
		cmd := exec.Command("polya", append([]string{"--db", path}, args...)...)
		cmd.Stdin = strings.NewReader("cheap watches and offers")
		var out, trouble strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &trouble
		err = cmd.Run()
		return out.String(), trouble.String(), err
	}
	before, _, err := polya("dump", "--ledger")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"train", "ham", "-"}, {"train", "--no-calibrate", "ham", "-"}, {"calibrate"},
		{"class", "rename", "ham", "good"}, {"class", "delete", "--yes", "ham"}, {"class", "merge", "ham", "spam"},
	} {
		_, trouble, err := polya(args...)
		if err == nil || !strings.Contains(trouble, `follows a log`) || !strings.Contains(trouble, `"trainings" made on 2026-`) ||
			!strings.Contains(trouble, "teach who writes the log") || strings.Count(trouble, "\n") != 1 {
			t.Errorf("%v: %v, %s", args, err, trouble)
		}
	}
	if now, _, _ := polya("dump", "--ledger"); now != before {
		t.Error("refused, and changed all the same")
	}
	if out, trouble, err := polya("classify", "-"); err != nil || !strings.HasPrefix(out, "spam") {
		t.Errorf("classify: %q, %s", out, trouble)
	}
	out, _, err := polya("info")
	if err != nil || !strings.Contains(out, "log trainings made on 2026-") || !strings.Contains(out, "up to position 1,003\n") {
		t.Errorf("info: %v\n%s", err, out)
	}
	out, _, err = polya("info", "--json")
	var i statistics.Summary
	if err == nil {
		err = json.Unmarshal([]byte(out), &i)
	}
	if err != nil || i.Follows == nil || i.Follows.Log != "trainings" || i.Follows.Position != 1003 || i.Follows.Created.Unix() != 1_790_000_000 {
		t.Errorf("info: %v, %+v", err, i.Follows)
	}
	// The way out that the message names.
	file, copied := filepath.Join(dir, "node.dump"), filepath.Join(dir, "copy.polya")
	for _, args := range [][]string{{"dump", "--ledger", "-o", file}, {"--db", copied, "load", file}, {"--db", copied, "train", "spam", "-"}} {
		if _, trouble, err := polya(args...); err != nil {
			t.Errorf("%v: %s", args, trouble)
		}
	}
}
