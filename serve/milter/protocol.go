package milter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

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

const (
	// maxPacket is the longest packet accepted. Libmilter's largest is 1 MiB.
	maxPacket = 16 << 20
	// maxKept is how much of a packet is kept; the rest is skipped. Chunks of a body have at
	// most 65,535 bytes, and Postfix cuts a field at 60,000.
	maxKept = 128 << 10
	// maxName is how much of an address, a login name or an id is kept. Lines of SMTP are shorter.
	maxName = 1 << 10
)

var errPacket = errors.New("malformed packet")

// readPacket reads a packet into room, which grows to be data, and reports whether that is all of it.
func readPacket(r *bufio.Reader, room []byte) (cmd byte, data []byte, whole bool, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, room[:0], true, err
	}
	size := binary.BigEndian.Uint32(head[:4])
	if size < 1 || size > maxPacket {
		return 0, room[:0], true, fmt.Errorf("%w: length %d", errPacket, size)
	}
	rest := int(size) - 1
	kept := min(rest, maxKept)
	if cap(room) < kept {
		room = make([]byte, kept)
	}
	data = room[:kept]
	if _, err := io.ReadFull(r, data); err != nil {
		return 0, data[:0], true, err
	}
	_, err = r.Discard(rest - kept)
	return head[4], data, kept == rest, err
}

func appendPacket(to []byte, cmd byte, parts ...string) []byte {
	at := len(to)
	to = append(to, 0, 0, 0, 0, cmd)
	to = append(to, strings.Join(parts, "")...)
	binary.BigEndian.PutUint32(to[at:], uint32(len(to)-at-4))
	return to
}

// word returns v as the protocol writes numbers.
func word(v uint32) string { return string(binary.BigEndian.AppendUint32(nil, v)) }

// cut returns the string at the beginning of data and the rest after its NUL.
func cut(data []byte) (s, rest []byte) {
	s, rest, _ = bytes.Cut(data, []byte{0})
	return s, rest
}

// macro returns the value of a macro in what follows the command in a packet of macros, and "" if there is none.
// Some servers put braces around names of one letter, too.
func macro(data []byte, name string) string {
	for len(data) > 0 {
		var key, value []byte
		key, data = cut(data)
		value, data = cut(data)
		if string(bytes.Trim(key, "{}")) == name {
			return string(value[:min(len(value), maxName)])
		}
	}
	return ""
}
