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
	kind error
	Failure
}{
	{backend.ErrClass, Failure{http.StatusNotFound, backend.ErrClass.Error()}},
	{backend.ErrClassExists, Failure{http.StatusConflict, backend.ErrClassExists.Error()}},
	{backend.ErrClassName, Failure{http.StatusBadRequest, backend.ErrClassName.Error()}},
	{backend.ErrTags, Failure{http.StatusBadRequest, backend.ErrTags.Error()}},
	{backend.ErrFixed, Failure{http.StatusConflict, backend.ErrFixed.Error()}},
	{backend.ErrLearned, Failure{http.StatusConflict, backend.ErrLearned.Error()}},
	{backend.ErrFile, Failure{http.StatusBadRequest, backend.ErrFile.Error()}},
	{backend.ErrFolder, Failure{http.StatusBadRequest, backend.ErrFolder.Error()}},
	{backend.ErrImporting, Failure{http.StatusConflict, backend.ErrImporting.Error()}},
	{backend.ErrUser, Failure{http.StatusNotFound, backend.ErrUser.Error()}},
	{backend.ErrDecision, Failure{http.StatusNotFound, backend.ErrDecision.Error()}},
	{backend.ErrAmbiguous, Failure{http.StatusConflict, backend.ErrAmbiguous.Error()}},
	{backend.ErrRecipients, Failure{http.StatusConflict, backend.ErrRecipients.Error()}},
	{backend.ErrSize, Failure{http.StatusRequestEntityTooLarge, backend.ErrSize.Error()}},
	{backend.ErrForbidden, Failure{http.StatusForbidden, backend.ErrForbidden.Error()}},
	{backend.ErrBusy, Failure{http.StatusServiceUnavailable, backend.ErrBusy.Error()}},
	{context.DeadlineExceeded, Failure{http.StatusGatewayTimeout, "timeout"}},
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
		if errors.Is(err, f.kind) {
			return f.Failure
		}
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

// Message reads the message that is the body of a request. The caller calls free when it
// is done with it, whatever the error.
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
