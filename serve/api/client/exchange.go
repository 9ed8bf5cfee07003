package client

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

// exchange sends a request, named by its method and target, and reads the reply into into. The
// version is 1.0, in which no reply comes in chunks.
func exchange(c io.ReadWriter, request string, message []byte, into any) error {
	head := fmt.Appendf(nil, "%s HTTP/1.0\r\nHost: polya\r\nContent-Length: %d\r\n\r\n", request, len(message))
	if _, err := c.Write(head); err == nil {
		_, _ = c.Write(message) // if the daemon hangs up, its reply says why
	}
	status, body, err := receive(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	var failed struct{ Error string }
	if status != 200 {
		into = &failed
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	if status == 200 {
		return nil
	}
	return failure(failed.Error)
}

// maxReply bounds a reply. A list of a million decisions is as long.
const maxReply = 256 << 20

// errProtocol says that a reply is none of HTTP.
var errProtocol = errors.New("not a reply over HTTP")

// receive reads a reply: as many bytes as it announces, or all until the connection ends.
func receive(c io.Reader) (status int, body []byte, err error) {
	in := bufio.NewReader(io.LimitReader(c, maxReply))
	length := int64(-1)
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, nil, err
		}
		name, value, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		switch {
		case first:
			code, _, _ := strings.Cut(value, " ")
			if status, err = strconv.Atoi(code); err != nil || !strings.HasPrefix(name, "HTTP/1.") {
				return 0, nil, errProtocol
			}
		case name == "":
			if length < 0 {
				body, err = io.ReadAll(in)
				return status, body, err
			}
			if body, err = io.ReadAll(io.LimitReader(in, length)); err == nil && int64(len(body)) < length {
				err = io.ErrUnexpectedEOF
			}
			return status, body, err
		case strings.EqualFold(name, "Content-Length:"):
			if length, err = strconv.ParseInt(value, 10, 64); err != nil || length < 0 {
				return 0, nil, errProtocol
			}
		}
	}
}

// failure returns the error that a reply tells of. Those that callers tell apart are themselves.
func failure(text string) error {
	for _, known := range []error{
		backend.ErrBusy, backend.ErrClass, backend.ErrSize, backend.ErrForbidden, backend.ErrDecision, backend.ErrAmbiguous, backend.ErrRecipients,
	} {
		if text == known.Error() {
			return known
		}
	}
	for _, other := range []error{backend.ErrUser, backend.ErrConnections} {
		if text == other.Error() {
			return fmt.Errorf("%w: %w", ErrAbsent, other)
		}
	}
	return errors.New(text)
}
