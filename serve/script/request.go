package script

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

const (
	// maxLine is the longest line: Pigeonhole escapes arguments of 1,024 bytes.
	maxLine = 4096
	// maxLines is how many lines a request may have before the message.
	maxLines = 64
)

var errRequest = errors.New("malformed request")

// A request is a request of a Sieve script.
type request struct {
	backend.Request // of the owner of the mailbox, as Dovecot calls him
	args            []string
	noReply         bool // the client does not read an answer
}

func newReader(from io.Reader) *bufio.Reader { return bufio.NewReaderSize(from, maxLine) }

// readRequest reads a request and its message, by way of e; with an error, as far as it could.
func readRequest(in *bufio.Reader, e *gate.Excerpt) (r request, err error) {
	if err := r.readHead(in); err != nil {
		return r, err
	}
	if _, err = io.Copy(e, in); errors.Is(err, backend.ErrBusy) {
		// Dovecot reports a failure of its own if not everything is read.
		_, _ = io.Copy(io.Discard, in)
	}
	r.Message, r.Cut = e.Text()
	return r, err
}

// readHead reads the version, the environment, and the arguments up to the empty line, or returns io.EOF if
// there is nothing to read:
//
//	VERSION	script	4	0
//	env_USER=bob
//	-
//	learn
//	spam
func (r *request) readHead(in *bufio.Reader) error {
	r.Source = source
	if _, err := in.Peek(1); err != nil {
		return err
	}
	line, err := readLine(in)
	if err != nil {
		return err
	}
	version, ok := strings.CutPrefix(line, "VERSION\tscript\t")
	major, _, _ := strings.Cut(version, "\t")
	// Version 3, of Dovecot 2.2, has no environment.
	if !ok || major != "3" && major != "4" {
		return fmt.Errorf("%w: it does not begin with a version that we know", errRequest)
	}
	inArgs := false
	for range maxLines {
		line, err := readLine(in)
		switch {
		case err != nil:
			return err
		case inArgs && line == "":
			return nil
		case inArgs:
			r.args = append(r.args, unescape(line))
		case line == "-" || line == "noreply":
			r.noReply = line != "-"
			inArgs = true
		default:
			if user, ok := strings.CutPrefix(line, "env_USER="); ok {
				r.User = unescape(user)
			}
		}
	}
	return fmt.Errorf("%w: more than %d lines", errRequest, maxLines)
}

func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("%w: a line of more than %d bytes", errRequest, maxLine)
	case err == io.EOF:
		return "", io.ErrUnexpectedEOF
	case err != nil:
		return "", err
	}
	return string(bytes.TrimSuffix(line, []byte{'\n'})), nil
}

// escape and unescape are the escapes of Dovecot: 1 for the escape itself, 0, t, n, r.
var escape = strings.NewReplacer("\x01", "\x011", "\x00", "\x010", "\t", "\x01t", "\n", "\x01n", "\r", "\x01r").Replace
var unescape = strings.NewReplacer("\x011", "\x01", "\x010", "\x00", "\x01t", "\t", "\x01n", "\n", "\x01r", "\r").Replace
