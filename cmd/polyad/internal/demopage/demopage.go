// Package demopage serves the page of a daemon on sample mail.
package demopage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/testdata"
)

// Serve serves the page until ctx ends or the process is interrupted, from a temporary
// folder. Half of the sample mail is learned, and all of it was classified. say prints the
// address; the daemon logs to log.
func Serve(ctx context.Context, version string, say func(format string, args ...any), log io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := outfile.TempFolder("polya-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, address, token, err := configure(dir)
	if err != nil {
		return err
	}
	learned, answered, err := learn(ctx, dir, file)
	if err != nil {
		return err
	}
	say("Learned %d messages into a temporary database, and answered for %d.\n", learned, answered)
	go func() {
		for ctx.Err() == nil {
			if reply, err := http.Get("http://" + address + "/healthz"); err == nil {
				reply.Body.Close()
				say("\nLook at the answers, correct some, and ask about mail of your own:\n\n    http://%s/sign-in#%s\n\nCtrl-C ends it.\n", address, token)
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return daemon.Run(ctx, file, daemon.Options{Version: version, Log: log})
}

// configure writes the configuration of a daemon on a free port.
func configure(dir string) (file, address, token string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", "", err
	}
	address, token = l.Addr().String(), rand.Text()
	if err := l.Close(); err != nil {
		return "", "", "", err
	}
	file = filepath.Join(dir, "polya.toml")
	text := fmt.Sprintf("[database]\npath = \"demo.polya\"\nclasses = []\ncontrol = false\n[decisions]\nmessage = \"32 KiB\"\n"+
		"[learning]\ntoken-file = \"token\"\n[log]\nlevel = \"warn\"\n[[http]]\naddress = %q\n", address)
	err = errors.Join(os.WriteFile(file, []byte(text), 0o600), os.WriteFile(filepath.Join(dir, "token"), []byte(token), 0o600))
	return file, address, token, err
}

// learn teaches every second sample, and classifies all.
func learn(ctx context.Context, dir, file string) (learned, answered int, err error) {
	samples, err := fs.Glob(testdata.Mail, "mail/*/*/*.eml")
	if err != nil {
		return 0, 0, err
	}
	c, err := classify.Open(filepath.Join(dir, "demo.polya"), classify.Options{})
	if err != nil {
		return 0, 0, err
	}
	var batch classify.Batch
	var ask [][]byte
	for i, name := range samples {
		message, err := fs.ReadFile(testdata.Mail, name)
		if err != nil {
			return 0, 0, err
		}
		ask = append(ask, message)
		if i%2 > 0 {
			continue
		}
		doc := mail.Document(c, message)
		doc.Source, doc.Time = "demo", time.Now().Add(-time.Duration(i)*5*time.Hour)
		if err := batch.Train(path.Base(path.Dir(name)), doc); err != nil {
			return 0, 0, err
		}
	}
	_, err = c.Apply(ctx, &batch)
	if err := errors.Join(err, c.Close()); err != nil {
		return 0, 0, err
	}
	configured, err := config.Load(file)
	if err != nil {
		return 0, 0, err
	}
	options, err := configured.Engine(slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, 0, err
	}
	e, err := engine.New(options)
	if err != nil {
		return 0, 0, err
	}
	slices.SortFunc(ask, func(a, b []byte) int { return slices.Compare(a[len(a)/2:], b[len(b)/2:]) }) // classes mixed
	for i, message := range ask {
		if _, failed := e.Classify(ctx, backend.Request{Message: message, Source: []string{"milter", "spamc"}[i%2]}, false); failed != nil {
			err = failed
		}
		if i%100 == 99 {
			_, _ = e.Decisions("", 1) // waits until all earlier ones are written
		}
	}
	return batch.Len(), len(ask), errors.Join(err, e.Close())
}
