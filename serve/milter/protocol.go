package milter

import "encoding/binary"

// Commands of the mail server.
const (
	cmdAbort     = 'A'
	cmdBody      = 'B'
	cmdConnect   = 'C'
	cmdMacros    = 'D'
	cmdEnd       = 'E'
	cmdHelo      = 'H'
	cmdQuitNew   = 'K'
	cmdHeader    = 'L'
	cmdMail      = 'M'
	cmdEndHeader = 'N'
	cmdNegotiate = 'O'
	cmdQuit      = 'Q'
	cmdRecipient = 'R'
	cmdData      = 'T'
	cmdUnknown   = 'U'
)

// Replies and modifications.
const (
	replyContinue   = 'c'
	replyAddHeader  = 'h'
	replyChange     = 'm'
	replyQuarantine = 'q'
	replyTempFail   = 't'
	replyCode       = 'y'
)

// Actions that a filter may ask to be allowed.
const (
	actionAddHeaders    uint32 = 0x01
	actionChangeHeaders uint32 = 0x10
	actionQuarantine    uint32 = 0x20
)

// Protocol flags: commands not needed, and the form of what is sent; noReply has more.
const (
	noConnect   uint32 = 0x00000001
	noHelo      uint32 = 0x00000002
	noEndHeader uint32 = 0x00000040
	noUnknown   uint32 = 0x00000100
	noData      uint32 = 0x00000200
	leadSpace   uint32 = 0x00100000
)

// noReply has the flag that spares the reply to a command.
var noReply = map[byte]uint32{
	cmdConnect:   0x00001000,
	cmdHelo:      0x00002000,
	cmdMail:      0x00004000,
	cmdRecipient: 0x00008000,
	cmdData:      0x00010000,
	cmdUnknown:   0x00020000,
	cmdHeader:    0x00000080,
	cmdEndHeader: 0x00040000,
	cmdBody:      0x00080000,
}

const (
	minVersion = 2 // of Sendmail 8.11; version 1 has no change of header fields
	maxVersion = 6 // of Sendmail 8.14, the newest
)

// A session is what the mail server and we have agreed on.
type session struct {
	version, actions, protocol uint32
}

// parseSession reads an offer, or an answer to one, of at least 12 bytes.
func parseSession(data []byte) session {
	return session{binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])}
}

// negotiate intersects what the server offers with what we can use.
func negotiate(offer session, quarantine bool) session {
	actions := actionAddHeaders | actionChangeHeaders
	if quarantine {
		actions |= actionQuarantine
	}
	// The verdict comes at the end of the message: nothing before it needs a reply.
	protocol := noConnect | noHelo | noEndHeader | noUnknown | noData | leadSpace
	for _, spared := range noReply {
		protocol |= spared
	}
	return session{
		version:  min(offer.version, maxVersion),
		actions:  offer.actions & actions,
		protocol: offer.protocol & protocol,
	}
}
