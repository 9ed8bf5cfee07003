package ascii

import (
	"bytes"
	"encoding/binary"
	"slices"
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

// Alphanumeric, Word and Lower say of every byte, at every place among others, what a look at it
// alone says.
func TestEachByte(t *testing.T) {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	isAlnum := func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
	for size := range 20 {
		for at := range size {
			for c := range 0x100 {
				for _, fill := range []byte("aZ5\xff") {
					text := bytes.Repeat([]byte{fill}, size)
					text[at] = byte(c)
					n := 0
					for n < size && isAlnum(text[n]) {
						n++
					}
					digits := slices.ContainsFunc(text[:n], isDigit)
					if got, some := Alphanumeric(text); got != n || some != digits {
						t.Fatalf("%q: %d, %v, want %d, %v", text, got, some, n, digits)
					}
					if size == 8 {
						letters := slices.IndexFunc(text, func(b byte) bool { return !isAlnum(b) || isDigit(b) })
						if letters < 0 {
							letters = size
						}
						var lower [8]byte
						copy(lower[:], bytes.ToLower(text[:letters]))
						word, n := Word(binary.LittleEndian.Uint64(text))
						if n != letters || word != binary.LittleEndian.Uint64(lower[:]) {
							t.Fatalf("%q: word %x of %d, want %q of %d", text, word, n, lower, letters)
						}
					}
					want := slices.Clone(text)
					for i, b := range want {
						if isAlnum(b) && !isDigit(b) {
							want[i] |= 0x20
						}
					}
					if got := AppendLower([]byte{'>'}, text); string(got[1:]) != string(want) {
						t.Fatalf("%q is %q in lower case", text, got)
					}
				}
			}
		}
	}
}
