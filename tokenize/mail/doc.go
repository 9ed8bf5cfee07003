// Package mail turns an Internet message into terms.
//
// It reads the message format (RFC 5322), MIME (RFC 2045, 2046, 2183, 2231) and encoded
// words in header fields (RFC 2047). It also reads broken messages, since spam often is
// broken: everything that can be read gives terms. Departures from the standards are marked QUIRK with
// the section. Programs with a classifier call Document of package classify/mail, which
// uses this package.
//
// # Terms
//
// Words of the text parts are plain terms, made by the Analyzer. All other terms carry
// the name of their field:
//
//	subject:offer            words of Subject, which are words of the text too
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
//	file:invoice ext:exe     words and extension of the name of a file, or of one in a ZIP archive
//	header:x-foo             presence of any other field
//	x-foo:word               and the first words of its value; x-limit:word of a field Limit,
//	                         which is called like one of these here
//	missing:date             absence of a field that every message has; missing:text of a text
//	                         with a word that can be read ([tokenize.Bag.Unread])
//	disguise:letters         a way to show other words than the bytes say: also accents, digits,
//	                         apart, order, content, page and link, or to hide where a link
//	                         leads: user, address, punycode, target
//	limit:parts              a limit that the message exceeds (limits.go); limit:size by CountCut
//
// Fields that filters write, that hold a mailbox's state or that repeat another field give nothing
// (ignored.go).
//
// Nothing put in front of a text hides it: parts without text, markup, comments and hidden
// text do not use up the limit for words, half of every limit is reserved for the end of
// the message, and the fields that describe a body's encoding are found anywhere in a
// header. Work and memory stay bounded.
//
// # Attributes
//
// [Read] returns the attributes that the analyzer's spec asks for: attr=mail all of
// them, attr=sender,size these two. An attribute that the message does not give is
// missing: without From there is no sender, rather than an empty one.
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
// Numbers are natural logarithms, which a normal distribution fits better than sizes and
// counts, rounded to multiples of 2^-16 so that they are the same on every machine. Hours
// and days are categories, because 23 is next to 00. ASCII letters are in lower case. A
// string of more than 255 bytes, or with white space or control characters, is not an
// address. The limits of terms apply.
//
// # Why not a MIME library
//
// Fields, parts and lines are slices of the message, and only encoded text is copied. Of Go's
// libraries one gives up on a message with one bad header line, and the other is ten times slower.
package mail
