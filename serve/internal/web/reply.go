package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strconv"

	"github.com/polya-classifier/polya/serve/backend"
)

// A Failure is an error that the client is told, with its status code.
type Failure struct {
	Code int
	Text string
}

// Error returns what the client is told.
func (f Failure) Error() string { return f.Text }

// failures are the errors that a client can tell apart. Any other is temporary: 503.
var failures = []struct {
	code  int
	kinds []error
}{
	{http.StatusBadRequest, []error{backend.ErrClassName, backend.ErrTags, backend.ErrFile, backend.ErrFolder, backend.ErrDocument}},
	{http.StatusForbidden, []error{backend.ErrForbidden}},
	{http.StatusNotFound, []error{backend.ErrClass, backend.ErrUser, backend.ErrDecision}},
	{http.StatusConflict, []error{backend.ErrClassExists, backend.ErrFixed, backend.ErrLearned, backend.ErrImporting, backend.ErrAmbiguous, backend.ErrRecipients, backend.ErrRefused}},
	{http.StatusRequestEntityTooLarge, []error{backend.ErrSize}},
	{http.StatusServiceUnavailable, []error{backend.ErrBusy}},
}

// Unavailable is what a client is told of an error that may hold secrets.
var Unavailable = Failure{http.StatusServiceUnavailable, "service unavailable"}

// FailureOf returns what a client is told of an error.
func FailureOf(err error) Failure {
	var f Failure
	if errors.As(err, &f) {
		return f
	}
	for _, f := range failures {
		for _, kind := range f.kinds {
			if errors.Is(err, kind) {
				return Failure{f.code, kind.Error()}
			}
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Failure{http.StatusGatewayTimeout, "timeout"}
	}
	return Unavailable
}

// Fail answers with an error, and logs it.
func (s *Server) Fail(w http.ResponseWriter, r *http.Request, err error) {
	f := FailureOf(err)
	level := slog.LevelInfo
	if f.Code >= http.StatusInternalServerError {
		level = slog.LevelWarn
		w.Header().Set("Retry-After", "1")
	}
	s.Log.Log(r.Context(), level, "request failed", "method", r.Method, "path", r.URL.Path, "code", f.Code, "error", err)
	Reply(w, f.Code, map[string]string{"error": f.Text})
}

// Reply answers with a value as JSON.
func Reply(w http.ResponseWriter, code int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		code, b = http.StatusInternalServerError, []byte(`{"error":"the answer has no JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)+1))
	w.WriteHeader(code)
	_, _ = w.Write(append(b, '\n'))
}

// Message reads the body of a request. The caller calls free when done, whatever the error.
func (s *Server) Message(r *http.Request) (message []byte, free func(), err error) {
	switch {
	case r.Header.Get("Compression") != "" || r.Header.Get("Content-Encoding") != "":
		return nil, func() {}, Failure{http.StatusUnsupportedMediaType, "compressed messages are not understood"}
	case r.ContentLength > s.Limits.Message:
		return nil, func() {}, backend.ErrSize
	}
	message, free, err = s.Memory.Read(r.Body, s.Limits.Message)
	switch {
	case err == nil, errors.Is(err, backend.ErrSize), errors.Is(err, backend.ErrBusy):
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = Failure{http.StatusRequestTimeout, "timeout"}
	default:
		err = Failure{http.StatusBadRequest, "the message was cut short"}
	}
	return message, free, err
}
