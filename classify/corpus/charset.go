package corpus

import (
	"bytes"
	"unicode/utf8"
)

// isUTF16 recognises UTF-16, as spreadsheets write "Unicode text", by its byte order mark.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

// windows1252 are the characters of the bytes 0x80 to 0x9f; those from 0xa0 on are
// what Unicode has at their place. The five that are not assigned are U+FFFD.
var windows1252 = [32]rune{
	'€', 0xfffd, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0xfffd, 'Ž', 0xfffd,
	0xfffd, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0xfffd, 'ž', 'Ÿ',
}

// decoded returns a cell as UTF-8: as in a text that is tokenised, a byte that is not
// UTF-8 is read as Windows-1252.
func decoded(cell string) string {
	if utf8.ValidString(cell) {
		return cell
	}
	var b []byte
	for i := 0; i < len(cell); {
		r, n := utf8.DecodeRuneInString(cell[i:])
		if r == utf8.RuneError && n == 1 {
			if r = rune(cell[i]); r < 0xa0 {
				r = windows1252[r-0x80]
			}
		}
		i += n
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}
