package spamd

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/points"
)

const (
	// lineBytes is longer than any line of a client.
	lineBytes = 4096
	// source is the ledger's source of trainings through this listener.
	source = "spamc"
	// headerLines is spamd's own limit.
	headerLines = 256
)

// A request is the part before the message.
type request struct {
	verb       string
	version    int      // 105 is 1.5
	rspamd     bool     // the form of rspamd's protocol
	user       string   // the user the message is for; in rspamd's form the login name of its sender
	deliverTo  string   // in rspamd's form
	recipients []string // likewise, of several the first and the last
	token      string
	length     int64 // of the message as sent, -1 if it ends with the connection
	zlib       bool

	class       string // the class that TELL names
	set, remove bool   // in this database, which is what "local" means
	told        bool   // either is, here or elsewhere
}

func protocol(format string, args ...any) error {
	return failure{exProtocol, "Bad header line: " + fmt.Sprintf(format, args...)}
}

// readRequest reads to the empty line, or only the first line of what has no more.
func readRequest(r *bufio.Reader) (request, error) {
	q := request{length: -1}
	line, err := readLine(r)
	if err != nil {
		return q, err
	}
	if err := q.first(line); err != nil {
		return q, err
	}
	if q.verb == "PING" || q.verb == "SKIP" {
		return q, nil
	}
	for range headerLines {
		if line, err = readLine(r); err != nil {
			return q, err
		}
		if line == "" {
			return q, nil
		}
		if err = q.field(line); err != nil {
			return q, err
		}
	}
	return q, protocol("more than %d lines", headerLines)
}

func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", protocol("more than %d bytes", lineBytes)
	case errors.Is(err, io.EOF):
		return "", protocol("closed before the empty line")
	case err != nil:
		return "", err
	}
	return string(bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))), nil
}

// verbs are the commands of spamd. Rspamd's protocol has the first three and PING.
var verbs = []string{"CHECK", "SYMBOLS", "REPORT", "REPORT_IFSPAM", "PROCESS", "HEADERS", "TELL", "PING", "SKIP"}

// first parses the first line, VERB SPAMC/MAJOR.MINOR.
func (q *request) first(line string) error {
	verb, protocolName, _ := strings.Cut(line, " ")
	if !slices.Contains(verbs, verb) {
		return protocol("no such command")
	}
	q.verb = verb
	version, ok := strings.CutPrefix(protocolName, "SPAMC/")
	if !ok {
		version, q.rspamd = strings.CutPrefix(protocolName, "RSPAMC/")
		ok = q.rspamd
	}
	major, minor, _ := strings.Cut(strings.TrimSpace(version), ".")
	a, errMajor := strconv.ParseUint(major, 10, 8)
	b, errMinor := strconv.ParseUint(minor, 10, 8)
	if !ok || errMajor != nil || errMinor != nil {
		return protocol("no version")
	}
	q.version = int(a)*100 + int(min(b, 99))
	return nil
}

// field parses a line NAME: VALUE. It ignores unknown names.
func (q *request) field(line string) error {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return protocol("no colon")
	}
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return protocol("control character")
	}
	switch strings.ToLower(name) {
	case "content-length":
		n, err := strconv.ParseUint(value, 10, 62)
		if err != nil || q.length >= 0 && q.length != int64(n) {
			return protocol("Content-length")
		}
		q.length = int64(n)
	case "compress":
		if !strings.EqualFold(value, "zlib") {
			return protocol("Compress")
		}
		q.zlib = true
	case "user":
		q.user = value
	case "deliver-to":
		q.deliverTo = value
	case "rcpt":
		q.recipients = append(q.recipients[:min(1, len(q.recipients))], value)
	case "token":
		q.token = value
	case "message-class":
		q.class = value
	case "set":
		q.set, q.told = q.set || local(value), true
	case "remove":
		q.remove, q.told = q.remove || local(value), true
	}
	return nil
}

func local(list string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(place string) bool { return strings.EqualFold(strings.TrimSpace(place), "local") })
}

// recipient returns the user the message is for, "" if there are several recipients.
func (q *request) recipient() string {
	if q.rspamd {
		return points.Recipient(q.deliverTo, q.recipients, q.user)
	}
	return q.user
}

// message reads the message. The caller calls free when it is done with it.
func (q *request) message(r *bufio.Reader, memory *gate.Memory, limit int64) (message []byte, free func(), err error) {
	if q.length > limit {
		return nil, func() {}, backend.ErrSize // before it is read
	}
	body := &io.LimitedReader{R: r, N: q.length}
	if q.length < 0 {
		body.N = math.MaxInt64
	}
	text, err := io.Reader(body), error(nil)
	if q.zlib {
		if text, err = zlib.NewReader(body); err != nil {
			return nil, func() {}, inflated(err, "not compressed by zlib")
		}
	}
	message, free, err = memory.Read(text, limit)
	if q.length >= 0 && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		_, _ = io.Copy(io.Discard, body) // what follows the end of what is compressed
		// More bytes show that the length is wrong. Do not wait for them: the client may wait for the reply.
		if body.N > 0 || r.Buffered() > 0 {
			return nil, free, failure{exProtocol, "Content-length mismatch"}
		}
	}
	return message, free, inflated(err, "compressed message is damaged")
}

// inflated returns what a client is told of an error of inflating: text unless it is another.
func inflated(err error, text string) error {
	kinds := []error{zlib.ErrChecksum, zlib.ErrHeader, zlib.ErrDictionary, io.ErrUnexpectedEOF, io.EOF}
	if errors.As(err, new(flate.CorruptInputError)) || slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
		return failure{exProtocol, text}
	}
	return err
}
