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

const (
	// maxPacket is the longest packet accepted. Libmilter's largest is 1 MiB.
	maxPacket = 16 << 20
	// maxKept is how much of a packet is kept; the rest is skipped. Chunks of a body have at
	// most 65,535 bytes, and Postfix cuts a field at 60,000.
	maxKept = 128 << 10
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
			return string(value)
		}
	}
	return ""
}
