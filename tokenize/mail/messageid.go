package mail

// maxMessageID is how many bytes of a Message-ID are told: RFC 5322 section 2.1.1
// allows lines of 998.
const maxMessageID = 998

// MessageID returns the Message-ID of a message without its angle brackets, "" if it
// has none. It is as the sender wrote it, which may be anything and need not be
// valid UTF-8; of a longer one than a line of mail may be it returns the beginning.
func MessageID(raw []byte) string {
	s := scans.Get().(*scan)
	defer s.free()
	head, _ := s.split(strip(raw), true)
	return told(messageID(find(head, "message-id")))
}

func told(id []byte) string { return string(id[:min(len(id), maxMessageID)]) }
