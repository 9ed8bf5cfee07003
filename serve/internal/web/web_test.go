package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

func server(log io.Writer) *Server {
	return New(gate.Options{Log: slog.New(slog.NewTextHandler(log, nil)), Limits: gate.Limits{Message: 100}})
}

// A client is told what it can act on, and the log why.
func TestFail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		code int
		text string
	}{
		{backend.ErrClass, 404, "no such class"}, {backend.ErrUser, 404, "no such user"}, {backend.ErrSize, 413, "message too large"},
		{backend.ErrForbidden, 403, "learning is not allowed here"}, {backend.ErrBusy, 503, "too many requests at once"},
		{context.DeadlineExceeded, 504, "timeout"}, {errors.New("disk full"), 503, "service unavailable"}, {backend.Failure{Code: 418, Text: "tea"}, 418, "tea"},
	} {
		var log strings.Builder
		w := httptest.NewRecorder()
		err := fmt.Errorf("reason: %w", test.err)
		server(&log).Fail(w, httptest.NewRequest("GET", "/x", nil), err)
		if want := `{"error":"` + test.text + `"}` + "\n"; w.Code != test.code || w.Body.String() != want {
			t.Errorf("%v: %d %s", test.err, w.Code, w.Body)
		}
		if (w.Header().Get("Retry-After") != "") != (test.code >= 500) {
			t.Errorf("%v: when to try again: %q", test.err, w.Header().Get("Retry-After"))
		}
		if !strings.Contains(log.String(), err.Error()) || strings.Contains(log.String(), "WARN") != (test.code >= 500) {
			t.Errorf("%v: log %s", test.err, log.String())
		}
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 101)
	for _, test := range []struct {
		name   string
		body   io.Reader
		length int64
		field  string
		code   int
	}{
		{"whole", strings.NewReader(long[:100]), -1, "", 0},
		{"announced too long", strings.NewReader("x"), 101, "", 413},
		{"too long", strings.NewReader(long), -1, "", 413},
		{"cut short", io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrUnexpectedEOF)), -1, "", 400},
		{"slow", iotest.ErrReader(fmt.Errorf("read: %w", os.ErrDeadlineExceeded)), -1, "", 408},
		{"compressed", strings.NewReader("x"), -1, "Content-Encoding", 415},
		{"compressed for rspamd", strings.NewReader("x"), -1, "Compression", 415},
	} {
		r := httptest.NewRequest("POST", "/", test.body)
		r.ContentLength = test.length
		if test.field != "" {
			r.Header.Set(test.field, "gzip")
		}
		message, free, err := server(io.Discard).Message(r)
		free()
		switch {
		case test.code == 0 && (err != nil || len(message) != 100):
			t.Errorf("%s: %d bytes, %v", test.name, len(message), err)
		case test.code != 0 && (err == nil || FailureOf(err).Code != test.code):
			t.Errorf("%s: %v, not %d", test.name, err, test.code)
		}
	}
}
