// Package mail turns an Internet message into terms.
//
// It reads the message format (RFC 5322), MIME (RFC 2045, 2046, 2183, 2231) and
// encoded words in header fields (RFC 2047), and it reads broken messages, which
// in this field are the interesting ones: whatever can be read gives terms, and
// what could not be read is told by an error that a caller may ignore. Departures
// from the standards are marked QUIRK with the section they depart from. A program
// with a classifier calls Document of package classify/mail, which does all of it.
//
// # Terms
//
// Words of the text parts are plain terms, made by the Analyzer. All else
// carries the name of its field:
//
//	subject:offer            words of Subject
//	from:alice               words of the display name in From; also to, reply-to,
//	from:alice@example.org   return-path and sender, with the whole address,
//	from:example.org         its domain, and the domain above a longer one
//	list:ilug.linux.ie       List-Id
//	mailer:mutt              words of X-Mailer and User-Agent
//	msgid:example.org        right side of Message-ID
//	received:mx.example.org  hosts, addresses and networks of Received
//	received:192.0.2         (the address, its /24 and its /16)
//	date:+0800               time zone of Date
//	auth:spf=pass            results of the topmost Authentication-Results
//	received-spf:pass        result of Received-SPF
//	mime:image/png           media type of every part
//	charset:koi8-r           charset parameter as it was written
//	encoding:base64          transfer encoding other than 7bit
//	boundary:=_NextPart_#    shape of a boundary, runs with digits as #
//	file:invoice ext:exe     words and extension of a file name
//	header:x-foo             presence of any other field
//	x-foo:word               and the first words of its value
//	missing:date             absence of a field that every message has
//	limit:parts              a limit that the message exceeds (limits.go)
//
// Fields that filters write, that hold a mailbox's state (ignored.go), or that
// say again what another field says (restated.go) give nothing.
//
// What stands in front of a text does not hide it: parts without text, markup, comments
// and hidden text leave the room for words as it is, half of every limit is kept for the
// end of the message, and what tells how a body is to be read is found wherever it stands
// in a header. Work and memory stay bounded.
//
// # Attributes
//
// [Read] gives the attributes that the analyzer's spec asks for, by attr=mail all of
// them, by attr=sender,size these two. What a message does not say it lacks: without
// From it has no sender, rather than an empty one.
//
//	sender       category  address in the first From, such as alice@example.org
//	domain       category  domain of that address
//	list         category  id in List-Id
//	to           category  first address in To
//	size         number    log(1 + bytes of the message)
//	hour         category  hour of Date in the zone it names, 00 to 23
//	weekday      category  day of that date, sun to sat
//	recipients   number    log(1 + addresses in To and Cc)
//	attachments  number    log(1 + parts shown apart from the text)
//
// Numbers are natural logarithms, rounded to multiples of 2^-16 so that they are the
// same on every machine: sizes and counts spread over orders of magnitude, and a
// normal distribution fits their logarithms, not them. Hours and days come round
// again, 23 next to 00, which no normal distribution fits, so that they are
// categories. ASCII letters are in lower case. What has more than 255 bytes,
// white space or control characters is no address. The limits are those of the
// terms: of a To longer than MaxHeaderBytes the addresses within that count.
//
// # Why not a MIME library
//
// The bytes are in memory, so fields, parts and lines are slices of them, and
// only text that is encoded is copied, into memory that is used again: over the
// SpamAssassin corpus over 100 MB of mail a second of CPU, the analyzer's work
// included. go-message reads from a stream, gives a message up for one bad header
// line or an mbox From line, and its walk is quadratic in depth; enmime repairs
// more, at 6 MB a second. The tests hold this walk against net/mail, mime and
// mime/multipart.
package mail
