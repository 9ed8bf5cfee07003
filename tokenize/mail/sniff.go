package mail

// IsMessage says whether raw looks like an Internet message, with or without an
// mbox From line before it, rather than plain text, HTML or data: whether it
// begins with header fields, of which one is known if an empty line ends them,
// or two if not.
func IsMessage(raw []byte) bool {
	s := scans.Get().(*scan)
	defer s.free()
	raw = strip(raw[:min(len(raw), messageSniff)])
	if end, _ := lineAt(raw, 0); !isField(raw[:end]) || !letter(raw[0]) {
		return false
	}
	head, body := s.split(raw, true)
	count := 0
	for _, f := range head {
		if known[string(f.name)] {
			count++
		}
	}
	return count > 1 || count == 1 && s.defects == 0 && body != nil
}

func letter(c byte) bool { return alnum[c] && c > '9' }

// messageSniff is how much is looked at: longer headers have enough in it.
const messageSniff = 64 << 10

// known are fields that a message begins with, after RFC 5322 section 3.6, RFC
// 5321 section 4.4, RFC 2045, and what servers add on top.
var known = map[string]bool{
	"arc-seal":               true,
	"authentication-results": true,
	"cc":                     true,
	"content-type":           true,
	"date":                   true,
	"delivered-to":           true,
	"dkim-signature":         true,
	"envelope-to":            true,
	"from":                   true,
	"message-id":             true,
	"mime-version":           true,
	"newsgroups":             true,
	"received":               true,
	"received-spf":           true,
	"reply-to":               true,
	"return-path":            true,
	"sender":                 true,
	"subject":                true,
	"to":                     true,
	"x-mailer":               true,
	"x-original-to":          true,
	"x-spam-status":          true,
}
