package mail

import "bytes"

// lines counts the words of a plain text, without lines of encoded data: uuencoded files,
// and lines that look like base64, as in armoured keys and signatures and in a MIME part
// whose header was lost.
func (s *scan) lines(text []byte) {
	from := 0
	for pos := 0; pos < len(text); {
		end, next := lineAt(text, pos)
		line := text[pos:end]
		switch {
		case isBegin(line):
			after := encodedLines(text[next:])
			if after < 0 {
				break
			}
			s.count(text[from:pos])
			s.fileTerms(line)
			next += after
			from = next
		case isArmour(line):
			s.count(text[from:pos])
			from = next
		}
		pos = next
	}
	s.count(text[from:])
}

// isArmour reports whether line is data in base64, maybe quoted or indented: long, only
// base64 digits, and these mixed as in no text. Words joined by "/" and "-" have the same
// characters.
func isArmour(line []byte) bool {
	if len(line) < armourLine {
		return false
	}
	line = bytes.TrimLeft(line, " \t>")
	if bytes.IndexByte(line, ' ') >= 0 { // most lines by far
		return false
	}
	joints, changes := 0, 0
	before := uint8(0)
	for _, c := range line {
		if sixtyFour[c] > padding {
			return false
		}
		switch k := caseOf(c); {
		case k == 0:
			joints++
		case k != before:
			changes++
			before = k
		}
	}
	return joints <= len(line)/8 && changes >= len(line)/4
}

// caseOf distinguishes small letters, capitals, digits and, as 0, all else.
func caseOf(c byte) uint8 {
	switch {
	case 'a' <= c && c <= 'z':
		return 1
	case 'A' <= c && c <= 'Z':
		return 2
	case '0' <= c && c <= '9':
		return 3
	}
	return 0
}

// armourLine is the least length of a line of armour: OpenPGP writes 64 characters, MIME
// up to 76, and no dictionary has words of that length.
const armourLine = 60

func isBegin(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("begin ")) {
		return false
	}
	mode, name, _ := bytes.Cut(line[len("begin "):], []byte(" "))
	return len(mode) >= 3 && len(mode) <= 4 && len(name) > 0 && len(bytes.Trim(mode, "01234567")) == 0
}

// fileTerms counts the terms of the file that a begin line announces.
func (s *scan) fileTerms(line []byte) {
	_, name, _ := bytes.Cut(line[len("begin "):], []byte(" "))
	s.add("encoding", []byte("uuencode"))
	s.file(bytes.Trim(name, blank))
}

// encodedLines returns the length of the uuencoded lines at the beginning of text,
// including the line "end"; -1 if the first line is not one.
func encodedLines(text []byte) int {
	pos := 0
	for pos < len(text) {
		end, next := lineAt(text, pos)
		line := text[pos:end]
		if string(line) == "end" {
			return next
		}
		if !isEncoded(line) {
			break
		}
		pos = next
	}
	if pos == 0 {
		return -1
	}
	return pos
}

// isEncoded reports whether line is one of a uuencoded file: its first character is the
// number of bytes; three bytes take four characters. Trailing spaces may be lost.
func isEncoded(line []byte) bool {
	if len(line) == 0 {
		return true
	}
	n := int(line[0]-' ') & 63
	if line[0] < ' ' || line[0] > '`' || len(line) > 2+(n+2)/3*4 {
		return false
	}
	for _, c := range line[1:] {
		if c < ' ' || c > '`' {
			return false
		}
	}
	return n == 0 || len(line) > 1
}
