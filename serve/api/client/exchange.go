package client

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

// exchange sends a request and reads the reply into into. In version 1.0 no reply comes in chunks.
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
	f := backend.Failure{Code: status, Text: failed.Error}
	if f == backend.ErrUser || f == backend.ErrConnections {
		return fmt.Errorf("%w: %w", ErrAbsent, f)
	}
	return f
}

// maxReply bounds a reply. A list of a million decisions is as long.
const maxReply = 256 << 20

// errProtocol says that a reply is none of HTTP.
var errProtocol = errors.New("not a reply over HTTP")

// receive reads a reply: as many bytes as it announces, or all until the connection ends.
func receive(c io.Reader) (status int, body []byte, err error) {
	in := textproto.NewReader(bufio.NewReader(io.LimitReader(c, maxReply)))
	line, err := in.ReadLine()
	if err != nil {
		return 0, nil, err
	}
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	if status, err = strconv.Atoi(code); err != nil || !strings.HasPrefix(version, "HTTP/1.") {
		return 0, nil, errProtocol
	}
	header, err := in.ReadMIMEHeader()
	if err != nil {
		return 0, nil, err
	}
	length := header.Get("Content-Length")
	if length == "" {
		body, err = io.ReadAll(in.R)
		return status, body, err
	}
	n, err := strconv.ParseInt(length, 10, 64)
	if err != nil || n < 0 {
		return 0, nil, errProtocol
	}
	if body, err = io.ReadAll(io.LimitReader(in.R, n)); err == nil && int64(len(body)) < n {
		err = io.ErrUnexpectedEOF
	}
	return status, body, err
}

// dial connects to the socket of a daemon that may be trusted.
func (c *Client) dial() (net.Conn, error) {
	conn, err := net.DialTimeout("unix", c.Path, c.Timeout)
	if err != nil {
		return nil, err
	}
	if err := trusted(conn.(*net.UnixConn), c.database()); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, conn.SetDeadline(time.Now().Add(c.Timeout))
}
