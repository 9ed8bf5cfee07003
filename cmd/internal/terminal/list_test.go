package terminal

import (
	"bytes"
	"testing"
)

// A table has a column for each field that some element has, numbers on the right.
func TestTableOf(t *testing.T) {
	t.Parallel()
	type row struct {
		Name   string  `json:"name"`
		N      uint64  `json:"n,omitempty"`
		X      *Number `json:"x,omitempty" text:"the x" format:"%+.1f"`
		Never  *Number `json:"never"`
		hidden int
	}
	small, large := Number(-.01), Number(12)
	var out bytes.Buffer
	err := TableOf([]*row{{Name: "a\x1b", N: 1234, X: &small}, {Name: "b", hidden: 1}, {Name: "c", N: 1, X: &large}}).Write(&out)
	want := "name       n  the x\n" + `a\x1b  1,234   +0.0` + "\nb                 -\nc          1  +12.0\n"
	if got := out.String(); got != want || err != nil {
		t.Errorf("%v:\n%s\nwant\n%s", err, got, want)
	}
}
