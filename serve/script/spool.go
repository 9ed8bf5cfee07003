package script

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/serve/backend"
)

// A Spool keeps the trainings of scripts in a folder until the daemon has learned them. One
// process, in which the Spool is the Backend of a Server, writes them, and the daemon reads
// them: a user who moves a message does not wait for a daemon that is stopped, starting or
// busy.
//
// Each request is a file, whose name is the time of its arrival, in nanoseconds. Its first
// line says whether the middle of the message was left out; the request follows as Dovecot
// sends it.
type Spool struct {
	folder string
	beside *os.Root          // the folder that has it, and out of which no link leads
	pause  time.Duration     // minPause
	held   map[string]string // the users of files that have waited for an earlier one, since nothing failed

	mu    sync.Mutex
	last  int64 // name of the latest file
	bytes int64 // in the folder at most: what was learned since is subtracted when it is too much
}

const (
	// maxSpooled bounds the bytes of a folder, so that a daemon that never comes back does not
	// fill the disk: some 50,000 messages of usual size.
	maxSpooled = 1 << 30
	// block is what a small file takes of a disk.
	block = 4 << 10
	// maxTries is how often a request is tried that fails for another reason than itself, before
	// those of its user behind it have their turn. With maxPause it takes an hour.
	maxTries = 130
	// minPause and maxPause bound the time between two looks, which doubles while nothing can be learned.
	minPause, maxPause = time.Second, 30 * time.Second
	// spoolTime is how long learning one request may take.
	spoolTime = time.Minute

	markNew   = ".new-"
	markAside = ".aside" // of a request that was tried maxTries times; a new start tries it again
)

var errOnlyLearns = errors.New("this socket learns and does not answer")

// NewSpool returns the spool in a folder, which it makes. Requests that were set aside are tried again.
func NewSpool(folder string) (*Spool, error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return nil, err
	}
	beside, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return nil, err
	}
	s := &Spool{folder: filepath.Base(folder), beside: beside, pause: minPause, held: make(map[string]string)}
	if err := beside.MkdirAll(s.folder, 0o700); err != nil {
		return nil, err
	}
	names, err := s.count()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if base, _, isNew := strings.Cut(name, markNew); isNew {
			newfile.RemoveLeftOver(filepath.Join(folder, base), markNew)
		}
		if was, aside := strings.CutSuffix(name, markAside); aside {
			s.rename(name, was)
			name = was
		}
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			s.last = max(s.last, n)
		}
	}
	return s, nil
}

// count sets the number of bytes in the folder, and returns the names of its files.
func (s *Spool) count() (names []string, err error) {
	list, err := fs.ReadDir(s.beside.FS(), s.folder)
	s.bytes = 0
	for _, entry := range list {
		if info, err := entry.Info(); err == nil {
			s.bytes += max(info.Size(), block)
		}
		names = append(names, entry.Name())
	}
	return names, err
}

// Learn keeps, on disk when it returns, the message to be learned as class, or to be forgotten.
func (s *Spool) Learn(_ context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if class == "" {
		return backend.Forgotten, s.keep(r, "forget")
	}
	return backend.Learned, s.keep(r, "learn", class)
}

// Classify returns an error: a spool has no database.
func (s *Spool) Classify(context.Context, backend.Request, bool) (backend.Answer, error) {
	return backend.Answer{}, errOnlyLearns
}

// Classes returns an error: a spool has no database.
func (s *Spool) Classes(context.Context, string) ([]string, error) { return nil, errOnlyLearns }

func (s *Spool) keep(r backend.Request, args ...string) error {
	text := encode(r, args)
	name, err := s.name(max(int64(len(text)), block))
	if err != nil {
		return err
	}
	return newfile.WriteBelow(s.beside.OpenRoot, filepath.Join(s.folder, name), markNew, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// name returns the name of the next file, or backend.ErrBusy if there is no room for its bytes.
func (s *Spool) name(bytes int64) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+bytes > maxSpooled {
		if _, err := s.count(); err != nil || s.bytes+bytes > maxSpooled {
			return "", cmp.Or(err, error(backend.ErrBusy))
		}
	}
	s.bytes += bytes
	s.last = max(s.last+1, time.Now().UnixNano())
	return fmt.Sprintf("%020d", s.last), nil
}

func encode(r backend.Request, args []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%t\nVERSION\tscript\t4\t0\nenv_USER=%s\n-\n", r.Cut, escape(r.User))
	for _, arg := range args {
		fmt.Fprintf(&b, "%s\n", escape(arg))
	}
	b.WriteByte('\n')
	b.Write(r.Message)
	return b.Bytes()
}

func decode(text []byte) (r request, err error) {
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	in := newReader(bytes.NewReader(rest))
	if r.Cut, err = strconv.ParseBool(string(first)); err == nil {
		err = r.readHead(in)
	}
	if err != nil {
		return r, fmt.Errorf("%w: %w", errRequest, err)
	}
	r.Message, err = io.ReadAll(in)
	return r, err
}

// Drain learns what the folder has, oldest first, and what comes until ctx ends. Where a request fails, those of
// the same user wait behind it, and those of others do not.
func (s *Spool) Drain(ctx context.Context, b backend.Backend, log *slog.Logger) {
	tries, pause := make(map[string]int), s.pause // of files, since nothing failed
	for ctx.Err() == nil {
		pause = min(2*pause, maxPause)
		failed := s.round(ctx, b, log)
		if len(failed) == 0 {
			clear(tries)
			clear(s.held)
			pause = s.pause
		}
		for file, err := range failed {
			tries[file]++
			switch {
			case tries[file] == 1 && ctx.Err() == nil:
				log.Error("spool: cannot learn a request yet; trying again", "file", file, "error", err)
			case tries[file] == maxTries && file != "":
				log.Error("spool: request waits for the next start", "file", file, "error", err)
				s.rename(file, file+markAside)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (s *Spool) rename(from, to string) {
	_ = s.beside.Rename(filepath.Join(s.folder, from), filepath.Join(s.folder, to))
}

// round learns what the folder has, and returns the files that failed, "" for the folder itself.
func (s *Spool) round(ctx context.Context, b backend.Backend, log *slog.Logger) (failed map[string]error) {
	failed = make(map[string]error)
	list, err := fs.ReadDir(s.beside.FS(), s.folder)
	if err != nil {
		failed[""] = err
	}
	waiting := make(map[string]bool) // users whose earlier request failed
	for _, entry := range list {
		user, known := s.held[entry.Name()]
		if strings.Trim(entry.Name(), "0123456789") != "" || ctx.Err() != nil || known && waiting[user] {
			continue
		}
		if err := s.learn(ctx, b, log, entry.Name(), waiting); err != nil {
			failed[entry.Name()] = err
		}
	}
	return failed
}

// learn learns one file and removes it, unless its user is waiting. A request that can never be learned is only logged.
func (s *Spool) learn(ctx context.Context, b backend.Backend, log *slog.Logger, name string, waiting map[string]bool) error {
	path := filepath.Join(s.folder, name)
	text, err := s.beside.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := decode(text)
	if waiting[r.User] {
		s.held[name] = r.User // or each round would read all that wait
		return nil
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, spoolTime)
		err = r.teach(ctx, b)
		cancel()
	}
	var told backend.Failure
	switch {
	case err == nil:
		log.Info("spool: request done", "what", r.args, "bytes", len(r.Message), "cut", r.Cut)
	case errors.Is(err, errRequest), errors.As(err, &told) && told.Code < 500:
		log.Warn("spool: request refused", "what", r.args, "error", err)
	default:
		waiting[r.User] = true
		return err
	}
	err = s.beside.Remove(path)
	waiting[r.User] = err != nil // it will be learned again, before what is behind it
	return err
}
