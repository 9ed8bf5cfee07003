package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// subject counts the words of a Subject, without marks of filters, in its field and,
// since a subject is prose, also as words of the text.
func (s *scan) subject(value []byte) {
	text := s.decodeHeader(value)
	for {
		from, to := markup(text)
		if to == 0 {
			break
		}
		s.subjectText(text[:from])
		text = text[to:]
	}
	s.subjectText(text)
}

func (s *scan) subjectText(text []byte) {
	s.analyzer.Text(s.bag, "subject", text)
	s.analyzer.Text(s.bag, "", text)
}

// markup finds the mark of a filter in a subject: SpamAssassin's and rspamd's
// *****SPAM***** and *** SPAM ***, amavis' ***Spam***, MailScanner's {Spam?} and
// {Virus?}, and [SPAM], [SPAM 12.3] and [Bulk] of appliances and site rules. A mark is a
// filter's word between brackets or stars; to is 0 if there is none.
func markup(text []byte) (from, to int) {
	for at := 0; ; {
		n := bytes.IndexAny(text[at:], "[*{")
		if n < 0 {
			return 0, 0
		}
		from = at + n
		inside := bytes.TrimLeft(text[from:], "[*{ ")
		at = len(text) - len(inside)
		if n = markWord(inside); n == 0 {
			continue
		}
		end := bytes.TrimLeft(inside[n:], "?!. :0123456789")
		if rest := bytes.TrimLeft(end, "]*}"); len(rest) < len(end) {
			return from, len(text) - len(rest)
		}
	}
}

var markWords = []string{"spam", "virus", "bulk", "junk", "suspected spam", "possible spam", "probable spam"}

func markWord(b []byte) int {
	for _, w := range markWords {
		if ascii.HasPrefix(b, w) {
			return len(w)
		}
	}
	return 0
}
