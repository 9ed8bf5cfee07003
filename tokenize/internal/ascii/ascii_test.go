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

// Alphanumeric and Lower say of every byte, at every place among others, what a look at it
// alone says.
func TestEachByte(t *testing.T) {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	isAlnum := func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	for size := range 20 {
		for at := range size {
			for c := range byte(0x80) {
				for _, fill := range []byte("aZ5") {
					text := bytes.Repeat([]byte{fill}, size)
					text[at] = c
					n := bytes.IndexFunc(text, func(r rune) bool { return !isAlnum(byte(r)) })
					if n < 0 {
						n = size
					}
					digits := bytes.ContainsFunc(text[:n], func(r rune) bool { return isDigit(byte(r)) })
					if got, some := Alphanumeric(text); got != n || some != digits {
						t.Fatalf("%q: %d, %v, want %d, %v", text, got, some, n, digits)
					}
					dst := make([]byte, size)
					if Lower(dst, text, size); string(dst) != string(AppendLower(nil, text)) {
						t.Fatalf("%q is %q in lower case", text, dst)
					}
				}
			}
		}
	}
	// What is no ASCII behind the end changes nothing before it.
	for n := range 9 {
		text, dst := append(bytes.Repeat([]byte("Z"), n), bytes.Repeat([]byte{0xff}, 16)...), make([]byte, 32)
		if Lower(dst, text, n); string(dst[:n]) != "zzzzzzzzz"[:n] {
			t.Errorf("%q is %q in lower case", text[:n], dst[:n])
		}
	}
}
