//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/spamd"
)

// hidden is the argument with which this program is the daemon.
const hidden = "serve-in"

// serve is the daemon: in a folder its socket, its databases, and a socket that tells of
// the process.
func serve(dir string) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as the command polya has it
	}
	o := engine.Options{
		Path:  filepath.Join(dir, "polya.db"),
		Users: engine.Users{Path: filepath.Join(dir, "users", "%u.polya"), Known: func(string) bool { return true }, MaxOpen: 50},
	}
	if os.Getenv("LOAD_DECISIONS") != "" {
		o.Decisions = &decisions.Options{}
	}
	e, err := engine.New(o)
	if err != nil {
		return err
	}
	told, err := net.Listen("unix", filepath.Join(dir, "about.sock"))
	if err != nil {
		return err
	}
	http.HandleFunc("/about", func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		json.NewEncoder(w).Encode(about{runtime.NumGoroutine(), m.HeapAlloc})
	})
	go http.Serve(told, nil)
	l, err := net.Listen("unix", filepath.Join(dir, "spamd.sock"))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return errors.Join(spamd.New(e, spamd.Options{}).Serve(ctx, l), e.Close())
}

// about is what a daemon tells of its process.
type about struct {
	Goroutines int
	Heap       uint64
}

// A server is a running daemon.
type server struct {
	target
	dir     string
	process *exec.Cmd
	inside  *http.Client // nil if the daemon tells nothing of itself
	cleanup []func()
}

func (s *server) pid() int { return s.process.Process.Pid }

// start starts the daemon on an empty folder.
func start(ctx context.Context, o *options, dir string) (*server, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, target: target{"unix", filepath.Join(dir, "spamd.sock"), []byte("SPAMD/1.1 0 EX_OK"), false}}
	cmd := exec.Command(self, hidden, dir)
	if o.decisions {
		cmd.Env = append(os.Environ(), "LOAD_DECISIONS=1")
	}
	s.inside = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "about.sock"))
	}}}
	return s, s.run(ctx, cmd)
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
	s.process = cmd
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial(s.network, s.address); err == nil {
			return c.Close()
		}
	}
	s.stop()
	said, _ := os.ReadFile(out.Name())
	return fmt.Errorf("%s does not answer at %s: %s", cmd.Path, s.address, strings.TrimSpace(string(said)))
}

// stop ends the daemon and what it started.
func (s *server) stop() {
	if s.process != nil {
		group := -s.process.Process.Pid
		syscall.Kill(group, syscall.SIGTERM)
		impatient := time.AfterFunc(30*time.Second, func() { syscall.Kill(group, syscall.SIGKILL) })
		s.process.Wait()
		impatient.Stop()
	}
	for _, f := range s.cleanup {
		f()
	}
}

// about asks the daemon about its process; zero if it does not tell.
func (s *server) about() (a about, err error) {
	if s.inside == nil {
		return a, nil
	}
	reply, err := s.inside.Get("http://about/about")
	if err != nil {
		return a, err
	}
	defer reply.Body.Close()
	return a, json.NewDecoder(reply.Body).Decode(&a)
}

// record writes profiles of the daemon until the function that it returns is called: of the
// CPU time of 20 seconds to a file of that name, and of all that was allocated.
func (s *server) record(path string) (end func()) {
	if s.inside == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() { defer close(done); s.save("profile?seconds=20", path) }()
	return func() {
		<-done
		s.save("allocs", path+".allocs")
	}
}

func (s *server) save(profile, path string) {
	reply, err := s.inside.Get("http://about/debug/pprof/" + profile)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	if f, err := os.Create(path); err == nil {
		defer f.Close()
		io.Copy(f, reply.Body)
	}
}
