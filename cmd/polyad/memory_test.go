//go:build linux && !race

package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// A first look at a large mailbox takes little more memory than a part of it. The race
// detector would take several times as much.
func TestFirstLookMemory(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "Maildir")
	box := newMaildir(t, root)
	r := rand.New(rand.NewPCG(6, 0))
	for n := range 4000 {
		text := fmt.Appendf(nil, "Message-ID: <%d@example.org>\n\n", n)
		for range 3000 {
			text = fmt.Appendf(text, "w%d\n", int(30000*r.Float64()*r.Float64()*r.Float64()))
		}
		box.deliver([]string{"Work", "Travel"}[n%2], text, true)
	}
	cmd := exec.Command("polyad", "watch", "--once", maildirSettings(t, dir, root), "--db", filepath.Join(dir, "mail.polya"))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "learned 2000 as travel, 2000 as work") {
		t.Fatalf("%v: %s", err, out)
	}
	if peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10; peak > 200 {
		t.Errorf("it takes %d MiB", peak)
	} else {
		t.Logf("it takes %d MiB", peak)
	}
}
