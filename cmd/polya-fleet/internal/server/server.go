// Package server runs a NATS server with JetStream within the process of a node.
package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
)

// payload is the largest message that the server accepts, in bytes.
const payload = 8 << 20

// Server is the server of a node. Close ends it.
type Server struct {
	config *config.Config
	log    *slog.Logger

	server atomic.Pointer[server.Server]
}

// Start starts the server. It need not find the others yet.
func Start(c *config.Config, log *slog.Logger) (*Server, error) {
	if err := os.MkdirAll(c.Server.Store, 0o700); err != nil {
		return nil, err
	}
	s := &Server{config: c, log: log}
	for _, address := range []string{c.Server.Listen, c.Server.Cluster} {
		if err := free(address); err != nil {
			return nil, err
		}
	}
	return s, s.start()
}

// free returns why nobody can listen at an address: the server would end the process.
func free(address string) error {
	if address == "" {
		return nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// Check finds what would keep Start from working in this process, and changes nothing. notes are
// addresses where somebody listens, who may be the node itself.
func Check(c *config.Config) (notes []string, err error) {
	if c.Server.Listen == "" {
		return nil, nil
	}
	for _, address := range []string{c.Server.Listen, c.Server.Cluster} {
		switch failed := free(address); {
		case errors.Is(failed, syscall.EADDRINUSE):
			notes = append(notes, "somebody listens at "+address)
		case failed != nil:
			err = errors.Join(err, failed)
		}
	}
	folder := c.Server.Store
	for _, missing := os.Stat(folder); errors.Is(missing, fs.ErrNotExist) && folder != filepath.Dir(folder); _, missing = os.Stat(folder) {
		folder = filepath.Dir(folder)
	}
	f, failed := os.CreateTemp(folder, ".polya-check-")
	if failed != nil {
		return notes, errors.Join(err, fmt.Errorf("server.store: %w", failed))
	}
	return notes, errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func (s *Server) start() error {
	ns, err := server.NewServer(s.options())
	if err != nil {
		return err
	}
	ns.SetLoggerV2(logger{s.log}, false, false, false)
	go ns.Start()
	if !ns.ReadyForConnections(20 * time.Second) {
		ns.Shutdown()
		return errors.New("NATS server does not start; the log says why")
	}
	s.server.Store(ns)
	return nil
}

func (s *Server) options() *server.Options {
	c := s.config
	host, port := split(c.Server.Listen)
	o := &server.Options{
		ServerName: c.Name, Host: host, Port: port, NoSigs: true, DisableJetStreamBanner: true,
		JetStream: true, StoreDir: c.Server.Store, SyncInterval: c.Server.Every, SyncAlways: c.Server.Every == 0,
		Authorization: c.Token, MaxPayload: payload, MaxPending: 8 * payload,
	}
	if o.SyncAlways {
		o.SyncInterval = time.Minute
	}
	if c.TLS != nil {
		o.TLSConfig, o.TLSVerify, o.TLSTimeout = c.TLS, true, 5
	}
	if c.Server.Cluster != "" {
		host, port := split(c.Server.Cluster)
		o.Cluster = server.ClusterOpts{Name: c.Fleet, Host: host, Port: port, TLSConfig: c.TLS, TLSTimeout: 5}
		if c.Token != "" {
			o.Cluster.Username, o.Cluster.Password = c.Fleet, c.Token
		}
		for _, route := range c.Server.Routes {
			u := &url.URL{Scheme: "nats-route", Host: route}
			if c.Token != "" {
				u.User = url.UserPassword(c.Fleet, c.Token)
			}
			o.Routes = append(o.Routes, u)
		}
	}
	return o
}

func split(address string) (host string, port int) {
	host, text, _ := net.SplitHostPort(address)
	port, _ = strconv.Atoi(text) // check has read it
	return host, port
}

// Sync says when the server writes acknowledged messages to disk, as the server itself reports:
// "always", "every 2m0s", or "off" if it keeps nothing for now.
func (s *Server) Sync() string {
	ns := s.server.Load()
	switch js := ns.JetStreamConfig(); {
	case js == nil || !ns.JetStreamEnabled():
		return "off"
	case js.SyncAlways:
		return "always"
	default:
		return "every " + js.SyncInterval.String()
	}
}

// Watch restarts the server if it has disabled JetStream, as it does when its disk is full,
// once there is space again. It returns when ctx ends.
func (s *Server) Watch(ctx context.Context) {
	tick := time.Tick(5 * time.Second)
	for told := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		if s.server.Load().JetStreamEnabled() {
			told = false
			continue
		}
		if err := s.space(); err != nil {
			if !told {
				s.log.Error("log is not kept here until there is space", "error", err)
			}
			told = true
			continue
		}
		s.log.Warn("server of the log starts again")
		s.Close()
		if err := s.start(); err != nil {
			s.log.Error("server of the log does not start", "error", err)
		}
	}
}

// spare is the space on disk needed to start a server.
const spare = 16 << 20

// space returns an error if the folder of the log has no space for so many bytes.
func (s *Server) space() error {
	path := filepath.Join(s.config.Server.Store, ".room")
	defer os.Remove(path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, spare))
	return errors.Join(err, f.Sync(), f.Close())
}

// Close ends the server after its data is on disk.
func (s *Server) Close() {
	ns := s.server.Load()
	ns.Shutdown()
	ns.WaitForShutdown()
}

// logger passes on the server's log. It contains nothing about messages.
type logger struct{ log *slog.Logger }

func (l logger) Noticef(f string, v ...any) { l.log.Debug("NATS: " + fmt.Sprintf(f, v...)) }
func (l logger) Warnf(f string, v ...any)   { l.log.Info("NATS: " + fmt.Sprintf(f, v...)) }
func (l logger) Errorf(f string, v ...any) {
	if strings.Contains(f, "route") { // again and again, while another node is away
		l.log.Debug("NATS: " + fmt.Sprintf(f, v...))
		return
	}
	l.log.Warn("NATS: " + fmt.Sprintf(f, v...))
}
func (l logger) Fatalf(f string, v ...any) { l.log.Error("NATS: " + fmt.Sprintf(f, v...)) }
func (l logger) Debugf(string, ...any)     {}
func (l logger) Tracef(string, ...any)     {}
