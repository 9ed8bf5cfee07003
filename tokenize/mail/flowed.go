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

// unfolded returns the text of a calendar or a card (RFC 5545 section 3.1, RFC 6350 section
// 3.2) with folded lines joined, and with line breaks in place of those written as "\n".
func (s *scan) unfolded(text []byte) []byte {
	s.joined = s.joined[:0]
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case bytes.HasPrefix(rest, []byte("\r\n ")), bytes.HasPrefix(rest, []byte("\r\n\t")):
			i += 2
		case bytes.HasPrefix(rest, []byte("\n ")), bytes.HasPrefix(rest, []byte("\n\t")):
			i++
		case rest[0] == '\\' && len(rest) > 1:
			if i++; rest[1]|0x20 == 'n' {
				s.joined = append(s.joined, '\n')
			} else {
				s.joined = append(s.joined, rest[1])
			}
		default:
			s.joined = append(s.joined, rest[0])
		}
	}
	return s.joined
}
