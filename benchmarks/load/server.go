//go:build linux

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/spamd"
)

// hidden is the argument that makes this program the daemon.
const hidden = "serve-in"

// serve does the same as polya serve with the configuration below, with net/http/pprof.
func serve(dir, address string) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as the command polya has it
	}
	e, err := engine.New(engine.Options{
		Path:      filepath.Join(dir, "polya.db"),
		Users:     engine.Users{Path: filepath.Join(dir, "users", "%u.polya"), Known: func(string) bool { return true }},
		Decisions: &decisions.Options{},
	})
	if err != nil {
		return err
	}
	told, err := net.Listen("unix", filepath.Join(dir, "http.sock"))
	if err != nil {
		return err
	}
	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(w, "go_goroutines %d\ngo_memstats_heap_alloc_bytes %d\n", runtime.NumGoroutine(), m.HeapAlloc)
	})
	go http.Serve(told, nil)
	taught, err := net.Listen("unix", filepath.Join(dir, "spamd.sock"))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	s := spamd.New(e, spamd.Options{Log: logger})
	go s.Serve(ctx, taught)
	return errors.Join(s.Serve(ctx, l), e.Close())
}

// configuration is the daemon's configuration, in DIR, with defaults where possible.
const configuration = `[database]
path = "polya.db"
[users]
path = "users/%u.polya"
pattern = "user[0-9]+"
[[spamd]]
address = "ADDRESS"
[[spamd]]
address = "DIR/spamd.sock"
[[http]]
address = "DIR/http.sock"
`

// about is the resources inside a daemon's process.
type about struct {
	goroutines, heap float64
}

// A server is a running daemon.
type server struct {
	target
	teacher target // who may teach without a token; of the daemon only
	dir     string
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	inside  *http.Client  // to its HTTP listener
	cleanup []func()
}

func (s *server) pid() int { return s.process.Process.Pid }

// start starts the daemon on an empty folder.
func start(ctx context.Context, o *options, dir string) (*server, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	// It is asked over TCP, like its peers.
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	ok := []byte("SPAMD/1.1 0 EX_OK")
	s := &server{dir: dir, target: target{"tcp", address, ok, false}, teacher: target{"unix", filepath.Join(dir, "spamd.sock"), ok, false}}
	s.inside = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "http.sock"))
	}}}
	if o.profile == "" {
		path := filepath.Join(dir, "polya.toml")
		if err := write(path, strings.NewReplacer("DIR", dir, "ADDRESS", address).Replace(configuration)); err != nil {
			return nil, err
		}
		return s, s.run(ctx, exec.Command(o.polya, "serve", path))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return s, s.run(ctx, exec.Command(self, hidden, dir, address))
}

// build builds the command polya, with its profile as it is released.
func build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "polya")
	cmd := exec.CommandContext(ctx, "go", "build", "-pgo=auto", "-o", path, "github.com/polya-classifier/polya/cmd/polya")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building polya: %w: %s (run this in its repository, or name one by -polya)", err, out)
	}
	return path, nil
}

// run starts the process and waits until it takes connections.
func (s *server) run(ctx context.Context, cmd *exec.Cmd) error {
	out, err := os.Create(filepath.Join(s.dir, filepath.Base(cmd.Path)+".out"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.process, s.ended = cmd, make(chan struct{})
	go func() { cmd.Wait(); close(s.ended) }()
	limit := time.After(patience)
wait:
	for {
		if c, err := net.Dial(s.network, s.address); err == nil {
			return c.Close()
		}
		select {
		case <-s.ended:
			break wait
		case <-limit:
			break wait
		case <-ctx.Done():
			break wait
		case <-time.After(50 * time.Millisecond):
		}
	}
	s.stop()
	said, _ := os.ReadFile(out.Name())
	return fmt.Errorf("%s does not answer at %s: %s", cmd.Path, s.address, strings.TrimSpace(string(said)))
}

// stop ends the daemon and its children.
func (s *server) stop() {
	if s.process != nil {
		group := -s.process.Process.Pid
		syscall.Kill(group, syscall.SIGTERM)
		impatient := time.AfterFunc(30*time.Second, func() { syscall.Kill(group, syscall.SIGKILL) })
		<-s.ended
		impatient.Stop()
	}
	for _, f := range s.cleanup {
		f()
	}
}

// about asks the daemon about its process.
func (s *server) about() (a about, err error) {
	reply, err := s.inside.Get("http://localhost/metrics")
	if err != nil {
		return a, err
	}
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		switch name {
		case "go_goroutines":
			a.goroutines, err = strconv.ParseFloat(value, 64)
		case "go_memstats_heap_alloc_bytes":
			a.heap, err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			return a, err
		}
	}
	if a.goroutines == 0 {
		err = errors.New("the daemon's metrics have no goroutines")
	}
	return a, cmp.Or(lines.Err(), err)
}

// record writes profiles of the daemon until the function that it returns is called: a
// CPU profile of 20 seconds to a file of that name, and a profile of all allocations.
func (s *server) record(path string) (end func()) {
	done := make(chan struct{})
	go func() { defer close(done); s.save("profile?seconds=20", path) }()
	return func() {
		<-done
		s.save("allocs", path+".allocs")
	}
}

func (s *server) save(profile, path string) {
	reply, err := s.inside.Get("http://localhost/debug/pprof/" + profile)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	if f, err := os.Create(path); err == nil {
		defer f.Close()
		io.Copy(f, reply.Body)
	}
}
