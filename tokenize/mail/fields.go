package mail

import (
	"bytes"
	"slices"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// fieldTerms counts the terms of the header of a message. Missing fields count only for
// the message itself, not for attached messages.
func (s *scan) fieldTerms(head []field, depth int) {
	for _, f := range head {
		if s.shown != nil {
			s.show(string(f.name), true, s.decodeHeader(f.value))
		}
		s.fieldTerm(f)
	}
	if depth > 0 || len(head) == 0 {
		return
	}
	for _, name := range expected {
		if !slices.ContainsFunc(head, func(f field) bool { return string(f.name) == name || name == "to" && string(f.name) == "cc" }) {
			s.add("missing", []byte(name))
		}
	}
}

// expected are the fields that every message has; cc stands for to.
var expected = [...]string{"from", "to", "subject", "date", "message-id"}

// fieldTerm counts the terms of one field, according to its meaning.
func (s *scan) fieldTerm(f field) {
	switch string(f.name) {
	case "subject":
		s.subject(f.value)
	case "to", "cc":
		s.people("to", f.value)
	case "date":
		s.zone(f.value)
	case "message-id":
		s.rightSide(f.value)
	case "received":
		s.hops(f.value)
	case "x-originating-ip", "x-sender-ip", "x-client-ip":
		s.add("header", f.name)
		s.hosts(f.value)
	case "from", "reply-to", "return-path", "sender",
		"delivered-to", "envelope-to", "x-original-to", "resent-to", "resent-from", "resent-sender", "bcc":
		s.people(string(f.name), f.value)
	case "list-id":
		s.people("list", f.value)
	case "x-mailer", "user-agent", "x-newsreader":
		s.analyzer.Text(s.bag, "mailer", s.decodeHeader(f.value))
	case "authentication-results":
		s.results(f.value)
	case "received-spf":
		s.add("received-spf", token(bytes.TrimLeft(f.value, blank)))
	case "content-type", "content-transfer-encoding", "content-disposition":
		// The part's own terms cover it.
	case "in-reply-to", "references", "content-id", "thread-index", "list-unsubscribe",
		"dkim-signature", "domainkey-signature", "x-google-dkim-signature", "arc-seal", "arc-message-signature",
		"arc-authentication-results", "x-gm-message-state", "x-google-smtp-source", "x-face", "face", "autocrypt":
		// Their values identify this one message, or are data.
		s.add("header", f.name)
	default:
		s.other(f)
	}
}

// other counts the presence of a field without a meaning of its own, and the
// first words of its value.
func (s *scan) other(f field) {
	if silent(f.name) {
		return
	}
	s.add("header", f.name)
	name := string(f.name)
	if slices.Contains(own, name) {
		name = "x-" + name
	}
	if value := bytes.Trim(f.value, blank); len(value) == 1 && alnum[value[0]] {
		// X-Priority: 3, which is not a word.
		s.add(name, value)
		return
	}
	text := s.decodeHeader(f.value[:min(len(f.value), MaxFieldWords)])
	s.analyzer.Text(s.bag, name, s.withoutNumbers(text))
}

// sample gives the Bag the fields that are counted, as far as MaxSampled, for its grams.
func (s *scan) sample(head []field) {
	text := s.words[:0]
	for _, f := range head {
		if len(text) < MaxSampled && !silent(f.name) {
			text = append(append(append(text, f.name...), ':'), f.value[:min(len(f.value), MaxSampled)]...)
		}
	}
	s.bag.Sample(text[:min(len(text), MaxSampled)])
	s.words = text
}

// own are fields of terms whose names header fields may not use: otherwise a sender could
// write "Limit: text", and the message would seem to be truncated. Fields that texts give,
// such as url:example.org, need no protection: a sender can write these into the text.
var own = []string{
	"auth", "boundary", "charset", "disguise", "encoding", "ext", "file", "header", "limit", "list", "mailer", "mime", "missing", "msgid",
}

// withoutNumbers returns text without chunks of more than maxDigits digits: they identify
// the message, not its kind.
func (s *scan) withoutNumbers(text []byte) []byte {
	s.words = s.words[:0]
	for len(text) > 0 {
		n := bytes.IndexAny(text, blank)
		if n < 0 {
			n = len(text) - 1
		}
		chunk := text[:n+1]
		text = text[n+1:]
		if digits(chunk) <= maxDigits {
			s.words = append(s.words, chunk...)
		}
	}
	return s.words
}

// maxDigits keeps years, versions and IPv4 networks, and drops times, message numbers and
// addresses made for one message.
const maxDigits = 6

// zone counts the time zone of a date, which most programs write in digits at
// the end (RFC 5322 section 3.3), and some as a name.
func (s *scan) zone(value []byte) {
	value, _, _ = bytes.Cut(value, []byte("("))
	value = bytes.TrimRight(value, blank)
	value = value[bytes.LastIndexAny(value, blank)+1:]
	if len(value) == 0 || len(value) > 5 || len(token(value)) < len(value) {
		value = []byte("none")
	}
	s.add("date", value)
}

// rightSide counts the host in a Message-ID: its maker, not its identity.
func (s *scan) rightSide(value []byte) {
	id := messageID(value)
	host := id[bytes.LastIndexByte(id, '@')+1:]
	if len(host) == len(id) {
		host = nil
	}
	if !isHost(host) && !isIPv4(host) {
		s.add("msgid", []byte("none"))
		return
	}
	s.domain("msgid", host)
}

// results counts the methods and results of an Authentication-Results field (RFC 8601).
// Only the topmost counts: the own server wrote it, and the ones below may come from the
// sender.
func (s *scan) results(value []byte) {
	if s.authenticated {
		return
	}
	s.authenticated = true
	for rest := afterSemicolon(value); len(rest) > 0; rest = afterSemicolon(rest) {
		rest = bytes.TrimLeft(rest, blank)
		method := token(rest)
		if len(method) == 0 || len(method) == len(rest) || rest[len(method)] != '=' {
			continue
		}
		result := token(rest[len(method)+1:])
		if !slices.Contains(resultMethods, string(method)) || len(result) == 0 {
			continue
		}
		s.add("auth", rest[:len(method)+1+len(result)])
	}
}

// resultMethods are the methods of the IANA registry that authenticate the sender.
var resultMethods = []string{"arc", "dkim", "dmarc", "iprev", "spf", "dkim-adsp", "domainkeys", "sender-id"}

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
