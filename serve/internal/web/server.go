// Package web is what the listeners that speak HTTP share: a server within limits, errors
// as status codes, messages as bodies of requests.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

const (
	// idleTime is how long a connection is kept open between two requests.
	idleTime = time.Minute
	// headerBytes is more than any client sends, with one recipient per line.
	headerBytes = 64 << 10
)

// busy is the reply to excess connections.
var busy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: application/json\r\n\r\n" +
	`{"error":"` + backend.ErrConnections.Error() + `"}`

// A Server serves requests within its limits, on several listeners at a time.
type Server struct {
	*gate.Server
	Handler http.Handler // answers requests; set before Serve
}

// New returns a Server.
func New(o gate.Options) *Server {
	s := &Server{Server: gate.New(o, gate.Limits{})}
	s.Refusal = busy
	return s
}

// Timed bounds the time that requests to next take, with their messages. A client that shuts down its
// writing side looks as if it had gone, and waits for the answer: it gets one.
func (s *Server) Timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.MessageTime+s.AnswerTime)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// A Peer describes the other side of a connection.
type Peer struct {
	access.Caller
	Serving context.Context // done when the server is to end, which cancels no request in progress
}

type peerKey struct{}

// PeerOf returns the peer that sent a request.
func PeerOf(r *http.Request) Peer { return r.Context().Value(peerKey{}).(Peer) }

// Serve answers the requests that come to l until ctx is done. Then it closes l, gives
// requests in progress at most 20 seconds, and returns nil. It returns an error if l fails.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	serving := ctx
	server := &http.Server{
		Handler:           s.Handler,
		ReadHeaderTimeout: s.HeaderTime,
		ReadTimeout:       s.MessageTime,
		WriteTimeout:      2*s.MessageTime + s.AnswerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, Peer{access.Over(c), serving})
		},
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), gate.Grace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	})
	if err := server.Serve(s.Listener(l)); stop() { // else whatever ended ctx has closed l as well
		server.Close()
		return err
	}
	<-ended
	return nil
}

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
