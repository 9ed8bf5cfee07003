package terminal

import (
	"testing"
	"time"
)

// A bar says how much is done.
func TestBarSaysWhatIsDone(t *testing.T) {
	t.Parallel()
	b := &Bar{total: 4 << 20, began: time.Now().Add(-time.Minute)}
	says := func(want string) {
		t.Helper()
		if got := b.line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b.Add(1 << 20)
	says("25 %, 1m0s")
	b.Add(4 << 20)
	says("100 %, 1m0s")
	b = &Bar{doing: "fitting", total: 5, began: time.Now()}
	says("fitting, 0 %, 0s")
	b = &Bar{doing: "merging", began: time.Now()}
	says("merging, 0s")
	(*Bar)(nil).Done() // where nobody looks
}
