package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

// talk is a connection whose other side says something whatever it is asked.
type talk struct {
	io.Reader
	asked bytes.Buffer
}

func (t *talk) Write(p []byte) (int, error) { return t.asked.Write(p) }

// No reply makes the client panic, one that net/http reads otherwise is none to it, and what is
// sent is a request to net/http.
func FuzzReply(f *testing.F) {
	answer, _ := json.Marshal(backend.Answer{Class: "spam", Probability: .5})
	for _, reply := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.0 200 OK\r\n\r\n" + string(answer), "HTTP/1.1 503 \r\n\r\n{\"error\":\"timeout\"}",
		"HTTP/1.1 404 Not Found\ncontent-length: 25\n\n{\"error\":\"no such class\"}", "HTTP/1.1 200\r\nContent-Length: 99\r\n\r\n{}", "answer", "",
	} {
		f.Add([]byte(reply), "a: b\n\nc")
	}
	f.Fuzz(func(t *testing.T, reply []byte, message string) {
		c := &talk{Reader: bytes.NewReader(reply)}
		var a backend.Answer
		err := exchange(c, "POST /v1/classify?source=", []byte(message), &a)
		q, refused := http.ReadRequest(bufio.NewReader(&c.asked))
		if refused != nil {
			t.Fatal(refused)
		}
		if sent, broken := io.ReadAll(q.Body); broken != nil || string(sent) != message {
			t.Errorf("%q was sent as %q: %v", message, sent, broken)
		}
		status, body, ours := receive(bytes.NewReader(reply))
		if ours != nil {
			if !errors.Is(err, ErrAbsent) {
				t.Errorf("%v of a reply that is none: %v", err, ours)
			}
			return
		}
		r, theirs := http.ReadResponse(bufio.NewReader(bytes.NewReader(reply)), q)
		if theirs != nil || len(r.TransferEncoding) > 0 || status < 200 || status == 204 || status == 304 || strings.Count(strings.ToLower(string(reply)), "content-length") > 1 {
			return
		}
		if want, broken := io.ReadAll(r.Body); broken == nil && (r.StatusCode != status || !bytes.Equal(want, body)) {
			t.Errorf("%d %q, want %d %q", status, body, r.StatusCode, want)
		}
	})
}
