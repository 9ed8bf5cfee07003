package mail

// Limits of what one message may cost. A message beyond a limit is not refused:
// what lies within it gives its terms, and the error tells which limit was met.
// "Seen" is the most in the 6,047 messages of the SpamAssassin corpus.
const (
	// MaxDepth is how deep parts and attached messages may nest. Seen: 3. A
	// forward of forwards goes some way beyond; what lies deeper is read as text.
	MaxDepth = 16

	// MaxParts is the number of parts that are looked at in one message. Seen:
	// 22. Digests of mailing lists have a part for each letter.
	MaxParts = 200

	// MaxText is the number of bytes of decoded text, over all parts, whose
	// words are counted. Seen: 190 KB. It is short enough for the terms of a
	// message to stay a small transaction.
	MaxText = 1 << 20

	// MaxHeaderBytes is the number of bytes of header fields that are read in
	// one message, those of its parts included. Seen: 15 KB. Postfix keeps 100
	// KiB of a message's own (header_size_limit).
	MaxHeaderBytes = 256 << 10

	// MaxFields is the number of header fields that are read in one message,
	// those of its parts included. Seen: 125.
	MaxFields = 1000

	// MaxScan is the number of bytes searched for boundaries, over all levels of
	// nesting: it bounds the time for a huge message of nested multiparts.
	MaxScan = 64 << 20

	// MaxAddresses is the number of addresses in one message that give terms. A
	// letter to more people than this is known by its other terms.
	MaxAddresses = 100

	// MaxReceived is the number of Received fields that give terms, from the
	// top. Seen: 15.
	MaxReceived = 30

	// MaxFieldWords is the number of bytes of a field without a meaning of its
	// own whose words are counted. Longer ones are signatures and encoded data.
	MaxFieldWords = 200
)
