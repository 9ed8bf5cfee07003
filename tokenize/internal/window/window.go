// Package window returns the beginning and the end of an overlong text, cut at white
// space, so that no word is counted in part.
package window

import (
	"bytes"
	"unicode/utf8"
)

// far is the distance from the wanted place within which white space is searched.
const far = 1 << 10

// First returns at most the first n bytes of text, up to the last white space in
// them if it is near.
func First(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	low := max(0, n-far)
	if i := bytes.LastIndexAny(text[low:n+1], Spaces); i >= 0 {
		return text[:low+i]
	}
	return Cut(text, n)
}

// Cut returns at most the first n bytes of text, without a part of a rune.
func Cut(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for i := n; i >= max(0, n-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(text[i]) {
			return text[:i]
		}
	}
	return text[:n] // not UTF-8
}

// Last returns at most the last n bytes of text, from the first white space in them
// on if it is near.
func Last(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	start := len(text) - n
	if i := bytes.IndexAny(text[start:min(len(text), start+far)], Spaces); i >= 0 {
		return text[start+i:]
	}
	for i := start; i <= min(len(text), start+utf8.UTFMax-1); i++ {
		if i == len(text) || utf8.RuneStart(text[i]) {
			return text[i:]
		}
	}
	return text[start:]
}

// Spaces is the white space of ASCII.
const Spaces = " \t\n\v\f\r"
