package command

import (
	"embed"
	"errors"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
)

// Nobody waits longer than --wait says.
func TestWait(t *testing.T) {
	p := New("polya", embed.FS{})
	p.Wait, p.ctx, p.signals = "3s", t.Context(), make(chan os.Signal, 1)
	defer signal.Stop(p.signals)
	var waited time.Duration
	_, err := Opened(p, "x", func(timeout time.Duration) (int, error) {
		waited += timeout
		return 0, store.ErrInUse
	})
	if waited != 3*time.Second || !errors.Is(err, store.ErrInUse) {
		t.Errorf("%v, %v", waited, err)
	}
}

// A short command too says on a terminal what it waits for.
func TestWaitOnTerminal(t *testing.T) {
	ends, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer ends.Close()
	p := New("polya", embed.FS{})
	p.Wait, p.Stderr = "3s", ends
	var waited []time.Duration
	_, err = Opened(p, "x", func(timeout time.Duration) (int, error) {
		waited = append(waited, timeout)
		return 0, store.ErrInUse
	})
	if len(waited) != 2 || waited[0]+waited[1] != 3*time.Second || !errors.Is(err, store.ErrInUse) {
		t.Fatalf("%v, %v", waited, err)
	}
	note := make([]byte, 200) // what is written to a terminal is echoed
	if n, err := ends.Read(note); err != nil || !strings.Contains(string(note[:n]), "note: x is in use by another process: waiting; Ctrl-C gives up") {
		t.Errorf("%q, %v", note[:n], err)
	}
}
