package command

import (
	"embed"
	"errors"
	"os"
	"os/signal"
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
