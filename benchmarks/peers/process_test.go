//go:build linux

package peers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

func TestRun(t *testing.T) {
	s := &session{ctx: context.Background(), home: t.TempDir(), timeout: time.Minute}
	list := filepath.Join(s.home, "list")
	harness.Write(list, "a\nb\n")
	if out := s.run([]int{2}, list, "sh", "-c", "cat; echo $HOME; exit 2"); out != "a\nb\n"+s.home+"\n" {
		t.Errorf("%q", out)
	}
	if spent := s.take(); spent.CPU <= 0 || s.take() != (harness.Cost{}) {
		t.Errorf("spent %v", spent)
	}
	err := harness.Try(func() { s.run(nil, "", "sh", "-c", "echo no such database >&2; exit 3") })
	if err == nil || !strings.Contains(err.Error(), "no such database") {
		t.Errorf("exit 3: %v", err)
	}
	s.timeout = 20 * time.Millisecond
	if err := harness.Try(func() { s.run(nil, "", "sh", "-c", "sleep 60 & wait") }); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("timeout: %v", err)
	}
}

// TestRunCountsChildren: the time of a child of the process is part of it.
func TestRunCountsChildren(t *testing.T) {
	s := &session{ctx: context.Background(), home: t.TempDir(), timeout: time.Minute}
	s.run(nil, "", "sh", "-c", `sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; :`)
	if spent := s.take(); spent.CPU < 5*time.Millisecond {
		t.Errorf("200,000 turns of a loop in %s of CPU time", spent.CPU)
	}
}

func TestDatabaseSize(t *testing.T) {
	s := &session{dir: t.TempDir()}
	for name, size := range map[string]int{"words.db": 300, "__db.001": 5000, "log": 20} {
		if err := os.WriteFile(filepath.Join(s.dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.databaseSize(); got != 320 {
		t.Errorf("%d", got)
	}
}

func TestAccuracy(t *testing.T) {
	docs := []harness.Document{{Class: "spam"}, {Class: "spam"}, {Class: "ham"}, {Class: "ham"}, {Class: "ham"}}
	got := accuracy([]harness.Verdict{{Spam: true, Score: 3}, {Score: 1}, {Spam: true, Score: 2}, {Score: 1}, {}}, docs)
	// Pairs of spam and ham: 3 > 2, 1, 0; 1 < 2, 1 = 1, 1 > 0: 1.5 of 6 are wrong.
	if want := [4]string{"40.00", "33.33", "50.00", "25.000"}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if harness.Try(func() { accuracy([]harness.Verdict{{}}, docs) }) == nil {
		t.Error("one answer to five documents passed")
	}
}
