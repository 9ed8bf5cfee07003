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

// Unavailable is what a client is told of an error that may hold secrets.
var Unavailable = backend.Failure{Code: http.StatusServiceUnavailable, Text: "service unavailable"}

// Nothing is what a program is told of a path that no request has.
var Nothing = backend.Failure{Code: http.StatusNotFound, Text: "there is nothing at this path; /v1/openapi.json lists what there is"}

// FailureOf returns what a client is told of an error.
func FailureOf(err error) backend.Failure {
	if f, ok := errors.AsType[backend.Failure](err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return backend.Failure{Code: http.StatusGatewayTimeout, Text: "timeout"}
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
		return nil, func() {}, backend.Failure{Code: http.StatusUnsupportedMediaType, Text: "compressed messages are not understood"}
	case r.ContentLength > s.Limits.Message:
		return nil, func() {}, backend.ErrSize
	}
	message, free, err = s.Memory.Read(r.Body, s.Limits.Message)
	switch {
	case err == nil, errors.Is(err, backend.ErrSize), errors.Is(err, backend.ErrBusy):
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = backend.Failure{Code: http.StatusRequestTimeout, Text: "timeout"}
	default:
		err = backend.Failure{Code: http.StatusBadRequest, Text: "the message was cut short"}
	}
	return message, free, err
}
