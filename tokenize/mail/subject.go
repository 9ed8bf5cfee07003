package mail

import (
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
	for i := 0; i < len(text); i++ {
		if !opener(text[i]) {
			continue
		}
		from = i
		for i < len(text) && (opener(text[i]) || text[i] == ' ') {
			i++
		}
		n := markWord(text[i:])
		if n == 0 {
			i--
			continue
		}
		end := i + n
		for end < len(text) && markInside(text[end]) {
			end++
		}
		start := end
		for end < len(text) && closer(text[end]) {
			end++
		}
		if end > start {
			return from, end
		}
	}
	return 0, 0
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

func opener(c byte) bool { return c == '[' || c == '*' || c == '{' }

func closer(c byte) bool { return c == ']' || c == '*' || c == '}' }

func markInside(c byte) bool {
	return c == '?' || c == '!' || c == '.' || c == ' ' || c == ':' || '0' <= c && c <= '9'
}
