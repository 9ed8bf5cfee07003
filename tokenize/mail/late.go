package mail

// late is a part or a text that is read after all others.
type late struct {
	text int // bytes of a text, 0 of a part that may have one
	read func()
}

// postpone keeps what is beyond the first half of a limit for readLate, as far as it is within the
// second half, which is for the end of the message.
func (s *scan) postpone(text int, read func()) {
	s.late = append(s.late, late{text, read})
	s.lateText += text
	for {
		oldest := s.late[0]
		switch {
		case len(s.late) > MaxParts-MaxParts/2:
			s.exceeds("parts")
		case s.lateText-oldest.text >= MaxMarkup/2:
			s.exceeds("text")
		default:
			return
		}
		s.late, s.lateText = s.late[1:], s.lateText-oldest.text
	}
}

// readLate reads what was postponed, and what that postpones: of parts in it, one level deeper. The
// oldest text may make it more than half of MaxMarkup. So no text is read twice, and each at the end
// of its level is.
func (s *scan) readLate() {
	for len(s.late) > 0 {
		all := s.late
		s.late, s.lateText, s.parts, s.markup = nil, 0, MaxParts/2, MaxMarkup
		for _, l := range all {
			l.read()
		}
	}
}
