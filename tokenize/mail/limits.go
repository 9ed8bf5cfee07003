package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// Limits of what one message may cost. A message beyond a limit is not refused, and
// nothing in front hides its end: the first half of a limit is for the beginning of the
// message, and the second for its end. A term limit:… lets a classifier learn it. "Seen" is the most in the 6,047 messages of
// the SpamAssassin corpus.
const (
	// MaxDepth is the depth to which the structure of parts and attached messages is
	// followed. Seen: 3. Forwards of forwards are somewhat deeper; deeper parts are read
	// without regard to structure. Beyond it: limit:depth.
	MaxDepth = 16

	// MaxParts is the number of parts read in one message, with or without text; of one with more,
	// so many at each level. Seen: 22. So many parts take 20 milliseconds. Beyond it: limit:parts.
	MaxParts = 50_000

	// MaxText is the number of bytes of visible text, over all parts, without markup, whose
	// words are counted. Seen: 190 KB. Beyond it: limit:text.
	MaxText = tokenize.MaxText

	// MaxMarkup is the number of bytes of text parts, markup and comments included, that are
	// read over all parts, and half of it more if one text is so long; of a message with too many
	// parts so much again at each level. So many bytes of tags take half a second. Beyond it:
	// limit:text.
	MaxMarkup = 16 << 20

	// MaxHidden is the number of bytes of hidden text whose words are counted, and
	// MaxLinks that of links. Beyond them: limit:hidden.
	MaxHidden = MaxText / 2
	MaxLinks  = MaxText / 2

	// MaxHeaderBytes is the number of bytes of header fields that are read in one message;
	// the limit is the same for attached messages together, and for descriptions of parts.
	// Fields that say how to read a body are always found. Seen: 15 KB. Postfix keeps 100
	// KiB of a message's own header (header_size_limit). Beyond it: limit:header.
	MaxHeaderBytes = 256 << 10

	// MaxSampled is the number of bytes of the header of which the grams of the Bag are a sample.
	MaxSampled = 3000

	// MaxFields is the number of header fields that are read in one message, and in attached
	// messages together: each takes as many bytes of MaxHeaderBytes beside its value. Seen: 125.
	MaxFields = 1000

	// MaxScan is the number of bytes searched for boundaries, over all levels of nesting, and the
	// number of bytes decoded of attached messages: it bounds the time for a huge message of nested
	// multiparts or messages. Beyond it boundaries are guessed, and none are decoded: limit:scan.
	MaxScan = 64 << 20

	// MaxBoundary is the length of a boundary that no program exceeds; RFC 2046 section
	// 5.1.1 allows 70 characters. Longer ones work, and give limit:boundary.
	MaxBoundary = 250

	// MaxAddresses is the number of addresses in To, Cc and Bcc that give terms, and the
	// number in other fields. Beyond it: limit:addresses.
	MaxAddresses = 100

	// MaxReceived is the number of Received fields that give terms, from the
	// top. Seen: 15. Beyond it: limit:addresses.
	MaxReceived = 30

	// MaxWord is the longest encoded word that is decoded, so that many beginnings without
	// an end take linear time; RFC 2047 section 2 allows 75 characters. Beyond it:
	// limit:word.
	MaxWord = 16 << 10

	// MaxFieldWords is the number of bytes of a field without a meaning of its own whose
	// words are counted. Longer ones are signatures and encoded data; their rest is not read
	// and gives no limit term.
	MaxFieldWords = 200
)

// A room bounds how much text of one kind is counted: half from the beginning, and half
// from the end, so that nothing in front of a text hides it.
type room struct {
	first, last int    // bytes left in both halves
	kept        []byte // the end of the text beyond the first half
	lost        bool   // a text was not counted
}

func (r *room) reset(n int) {
	*r = room{first: n / 2, last: n - n/2, kept: r.kept[:0]}
	if cap(r.kept) > maxKept {
		r.kept = nil
	}
}

// maxKept is the largest buffer kept for the next message.
const maxKept = 2 * MaxText

// take returns the part of text to count now.
func (r *room) take(text []byte) []byte {
	now := window.First(text, r.first)
	r.first -= len(now)
	if len(now) < len(text) {
		r.first = 0
		r.keep(text[len(now):])
	}
	return now
}

// keep appends text, on lines of its own, to the kept end.
func (r *room) keep(text []byte) {
	if len(text) > r.last {
		text, r.lost = text[len(text)-r.last:], true
	}
	if drop := len(r.kept) - r.last; drop > 0 && len(r.kept)+len(text) > 2*r.last {
		r.kept, r.lost = r.kept[:copy(r.kept, r.kept[drop:])], true
	}
	r.kept = append(append(r.kept, text...), '\n')
}

// rest returns the kept end of the texts not counted yet.
func (r *room) rest() []byte {
	kept := bytes.TrimSpace(r.kept)
	rest := window.Last(kept, r.last)
	r.lost = r.lost || len(rest) < len(kept)
	return rest
}

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
