package mail

// maxMessageID is the largest number of bytes returned: RFC 5322 section 2.1.1 allows
// lines of 998.
const maxMessageID = 998

// MessageID returns the Message-ID of a message without its angle brackets, "" if it has
// none. It is as the sender wrote it: any bytes, perhaps not valid UTF-8. If it is longer
// than a line of mail may be, only its beginning is returned.
func MessageID(raw []byte) string {
	s := scans.Get().(*scan)
	defer s.free()
	head, _ := s.split(strip(raw), true)
	return told(messageID(find(head, "message-id")))
}

func told(id []byte) string { return string(id[:min(len(id), maxMessageID)]) }
