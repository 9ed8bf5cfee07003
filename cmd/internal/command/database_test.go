package command

import (
	"embed"
	"errors"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/api/client"
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

// Who has waited for a daemon that hangs does not wait as long again for its file.
func TestWaitOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.polya")
	l, err := net.Listen("unix", client.Path(path)) // which answers nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := New("polya", embed.FS{})
	p.Wait = "300ms"
	_, err = Alone(p, path, func(timeout time.Duration) (int, error) {
		if timeout > 100*time.Millisecond {
			t.Errorf("waits %v more", timeout)
		}
		return 0, nil
	})
	if err != nil {
		t.Error(err)
	}
	p.ReturnDatabase() // as a watcher does after each look: the daemon may be well by the next
	if timeout, err := p.Timeout(); timeout != 300*time.Millisecond || err != nil {
		t.Errorf("waits %v, %v", timeout, err)
	}
	p.Wait = "0"
	if err := p.borrow(path); err != nil {
		t.Error(err)
	}
	if timeout, _ := p.Timeout(); timeout > time.Millisecond {
		t.Errorf("waits %v though it is to wait for nothing", timeout)
	}
	p.Waited(&client.Client{Timeout: time.Second}, time.Now(), nil) // it answers again
	if p.left > 0 {
		t.Errorf("waits only %v", p.left)
	}
}
