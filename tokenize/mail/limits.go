package mail

// Limits of what one message may cost. A message beyond a limit is not refused:
// what lies within it gives its terms, and the error tells which limit was met.
const (
	// MaxDepth is how deep parts and attached messages may nest. Mail that
	// people send is seldom deeper than 5; what lies deeper is read as text.
	MaxDepth = 16

	// MaxParts is the number of parts that are looked at in one message. A
	// digest of a busy day has about a hundred.
	MaxParts = 200

	// MaxText is the number of bytes of decoded text, over all parts, whose
	// words are counted. It is far beyond any letter, and short enough for the
	// terms of a message to stay a small transaction.
	MaxText = 1 << 20

	// MaxHeaderBytes is the number of bytes of header fields that are read in
	// one message, those of its parts included. Servers take 32 to 256 KiB.
	MaxHeaderBytes = 256 << 10

	// MaxFields is the number of header fields that are read in one message,
	// those of its parts included. Long delivery paths have about 150.
	MaxFields = 1000

	// MaxScan is the number of bytes searched for boundaries, over all levels of
	// nesting: it bounds the time for a huge message of nested multiparts.
	MaxScan = 64 << 20

	// MaxAddresses is the number of addresses in one message that give terms. A
	// letter to more people than this is known by its other terms.
	MaxAddresses = 100

	// MaxReceived is the number of Received fields that give terms, from the
	// top. RFC 5321 section 6.3 lets a server call 100 of them a loop.
	MaxReceived = 30

	// MaxFieldWords is the number of bytes of a field without a meaning of its
	// own whose words are counted. Longer ones are signatures and encoded data.
	MaxFieldWords = 200
)
