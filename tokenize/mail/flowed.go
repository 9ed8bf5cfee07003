package mail

import "bytes"

// unflowed returns text of format=flowed with delsp=yes (RFC 3676 section 4.2) with lines
// joined that were broken for transport: those that end with a space, which is removed,
// as are the quote marks of the next line.
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
