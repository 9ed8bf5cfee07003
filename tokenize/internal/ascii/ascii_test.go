package ascii

import (
	"bytes"
	"testing"
)

func TestPrefix(t *testing.T) {
	for n := range 40 {
		text := bytes.Repeat([]byte("a"), n)
		if got := Prefix(text); got != n {
			t.Errorf("%d of %d bytes", got, n)
		}
		for i := range text {
			text[i] = 0x80
			if got := Prefix(text); got != i {
				t.Errorf("found byte %d at %d", i, got)
			}
			text[i] = 'a'
		}
	}
}

func TestAppendLower(t *testing.T) {
	if got := AppendLower([]byte("a"), []byte("[@AMZ`z{\xc0]")); string(got) != "a[@amz`z{\xc0]" {
		t.Errorf("%q", got)
	}
}
