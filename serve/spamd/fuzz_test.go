package spamd

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		"PING SPAMC/1.5\r\n\r\n",
		"CHECK SPAMC/1.2\r\nUser: x\r\nContent-length: 3\r\n\r\nabc",
		"PROCESS SPAMC/1.5\nCompress: zlib\n\n" + deflate("Subject: x\n\nplum"),
		"TELL SPAMC/1.5\r\nMessage-class: spam\r\nSet: local,remote\r\nRemove: remote\r\nToken: x\r\n\r\nabc",
		"CHECK RSPAMC/1.3\r\nRcpt: <a@b>\r\nRcpt: <c>\r\nDeliver-To: alice\r\n\r\nabc",
		"CHECK SPAMC/1.999\r\nContent-length: 99999999999999999999\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	const limit = 1000
	f.Fuzz(func(t *testing.T, in []byte) {
		memory := gate.NewMemory(1<<20, limit)
		r := bufio.NewReaderSize(bytes.NewReader(in), lineBytes)
		q, err := readRequest(r)
		if err != nil {
			if f := failureOf(err); strings.ContainsAny(f.text, "\r\n") {
				t.Errorf("%q: the reply has more than one line: %q", in, f)
			}
			return
		}
		if strings.ContainsAny(q.user+q.class, "\r\n") {
			t.Errorf("%q: %+v", in, q)
		}
		if q.verb == "PING" || q.verb == "SKIP" {
			return
		}
		again := bufio.NewReaderSize(bytes.NewReader(in), lineBytes)
		readRequest(again)
		rest, _ := io.ReadAll(again)
		message, free, err := q.message(r, memory, limit)
		free()
		// Of a message that is longer than was said, what is not in the buffer is not seen.
		if err == nil && !q.zlib && !bytes.Equal(message, rest) && len(in) < lineBytes {
			t.Errorf("%q: message %q of %q", in, message, rest)
		}
		if err == nil && q.zlib {
			z, err := zlib.NewReader(bytes.NewReader(rest))
			if err != nil {
				t.Fatalf("%q: %v", in, err)
			}
			if inflated, err := io.ReadAll(z); err != nil || !bytes.Equal(inflated, message) {
				t.Errorf("%q: %q, %v", in, message, err)
			}
		}
		if len(message) > limit {
			t.Errorf("%q: %d bytes", in, len(message))
		}
		if f := failureOf(err); err != nil && f.code == exTempFail && !errors.Is(err, backend.ErrBusy) {
			t.Errorf("%q: unforeseen: %v", in, err)
		}
	})
}
