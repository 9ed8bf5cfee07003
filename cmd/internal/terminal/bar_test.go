package terminal

import (
	"strings"
	"testing"
	"time"
)

// A bar whose bytes are all read says what is still done, and never that nothing is
// left.
func TestBarSaysWhatIsDone(t *testing.T) {
	t.Parallel()
	b := &Bar{width: 80, total: 4 << 20, bytes: true, began: time.Now().Add(-time.Minute)}
	b.Add(1 << 20)
	if got, want := b.line(), "1.0 MiB / 4.0 MiB [=======-----------------------] 25 % 3m1s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	learned := b.While("learning 16,384")
	if got := b.line(); !strings.Contains(got, "25 % learning 16,384 ") {
		t.Errorf("while it learns: %q", got)
	}
	learned()
	b.Add(3 << 20)
	if got := b.line(); !strings.Contains(got, "100 % finishing ") {
		t.Errorf("at the end of the input: %q", got)
	}
	learned = b.While("learning 21")
	if got := b.line(); !strings.Contains(got, "100 % learning 21 ") {
		t.Errorf("while it learns the last: %q", got)
	}
	learned()
	(*Bar)(nil).While("learning 1")() // where nobody looks
}
