package mail

import "github.com/polya-classifier/polya/tokenize"

// Limits of what one message may cost. A message beyond a limit is not refused, and
// nothing in front hides what stands at its end: of what is counted one by one the first
// half of a limit is for the beginning, and the second for the end. The error tells which
// limit was met, and a term limit:… lets a classifier learn it.
// "Seen" is the most in the 6,047 messages of the SpamAssassin corpus.
const (
	// MaxDepth is how deep parts and attached messages are taken apart as they
	// say. Seen: 3. A forward of forwards goes some way beyond; what lies deeper is
	// read without regard to what lies in what. Beyond it: limit:depth.
	MaxDepth = 16

	// MaxParts is the number of parts that are looked at in one message. Seen: 22;
	// digests of mailing lists have a part for each letter. Whether a part has text
	// makes no difference, and so many take 20 milliseconds. Beyond it: limit:parts.
	MaxParts = 50_000

	// MaxText is the number of bytes of text that is seen, over all parts, without
	// markup, whose words are counted. Seen: 190 KB. Beyond it: limit:text.
	MaxText = tokenize.MaxText

	// MaxMarkup is the number of bytes of text parts as they stand in the message, markup
	// and comments included, that are read over all parts. So many of nothing but tags take half a second.
	// Beyond it: limit:text.
	MaxMarkup = 16 << 20

	// MaxHidden is the number of bytes of hidden text whose words are counted, and
	// MaxLinks that of links. Beyond them: limit:hidden.
	MaxHidden = MaxText / 2
	MaxLinks  = MaxText / 2

	// MaxHeaderBytes is the number of bytes of header fields that are read in one
	// message; as many are read in those attached to it, and as many of what
	// describes parts. What tells how a body is to be read is found in any
	// case. Seen: 15 KB. Postfix keeps 100 KiB of a message's own
	// (header_size_limit). Beyond it: limit:header.
	MaxHeaderBytes = 256 << 10

	// MaxFields is the number of header fields that are read in one message, and in
	// those attached to it. Seen: 125. Beyond it: limit:header.
	MaxFields = 1000

	// MaxScan is the number of bytes searched for boundaries, over all levels of
	// nesting: it bounds the time for a huge message of nested multiparts. Beyond it
	// boundaries are known by their looks: limit:scan.
	MaxScan = 64 << 20

	// MaxBoundary is the length of a boundary that no program exceeds, RFC 2046
	// section 5.1.1 has 70 characters: limit:boundary. Longer ones part all the same.
	MaxBoundary = 250

	// MaxAddresses is the number of addresses in To, Cc and Bcc that give terms, and
	// of those in other fields. A letter to more people than this is known by its
	// other terms. Beyond it: limit:addresses.
	MaxAddresses = 100

	// MaxReceived is the number of Received fields that give terms, from the
	// top. Seen: 15. Beyond it: limit:addresses.
	MaxReceived = 30

	// MaxWord is the length of an encoded word of which the text is decoded, so
	// that many beginnings without an end stay linear; RFC 2047 section 2 has 75
	// characters. Beyond it: limit:word.
	MaxWord = 16 << 10

	// MaxFieldWords is the number of bytes of a field without a meaning of its
	// own whose words are counted. Longer ones are signatures and encoded data, of
	// which nothing is read, so that there is no term for it.
	MaxFieldWords = 200
)
