package mail

import "bytes"

// unflowed is text of format=flowed with delsp=yes (RFC 3676 section 4.2) with the lines
// joined that were broken for transport: a space at the end of a line, which goes too,
// says so. What quotes the line behind goes with it.
func (s *scan) unflowed(text []byte) []byte {
	s.joined = s.joined[:0]
	for pos := 0; pos < len(text); {
		end, next := lineAt(text, pos)
		line := text[pos:end]
		pos = next
		if len(line) == 0 || line[len(line)-1] != ' ' || string(line) == "-- " {
			s.joined = append(append(s.joined, line...), '\n')
			continue
		}
		s.joined = append(s.joined, line[:len(line)-1]...)
		for pos < len(text) && text[pos] == '>' {
			pos++
		}
		if pos < len(text) && text[pos] == ' ' {
			pos++ // RFC 3676 section 4.4, space-stuffing
		}
	}
	return bytes.TrimRight(s.joined, "\n")
}
