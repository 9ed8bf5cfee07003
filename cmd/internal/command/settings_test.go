package command

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Each of several errors is a line, however they were joined; an error of two causes is one.
func TestComplainEach(t *testing.T) {
	t.Parallel()
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.Join(errors.Join(a, b), c), "p: a\np: b\np: c\n"},
		{errors.Join(errors.Join(a, b)), "p: a\np: b\n"},
		{errors.Join(a, fmt.Errorf("%w: %w", b, c)), "p: a\np: b: c\n"},
		{fmt.Errorf("%w: %w", b, c), "p: b: c\n"},
		{c, "p: c\n"},
		{nil, ""},
	} {
		var said strings.Builder
		p := New("p", embed.FS{})
		p.Stderr = &said
		if code := p.Exit(p.ComplainEach(test.err)); said.String() != test.want || (code == Yes) != (test.err == nil) {
			t.Errorf("%v: %q, %d", test.err, &said, code)
		}
	}
}
