//go:build linux

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// A daemon is a server that answers for a peer, with a process group of its own.
type daemon struct {
	cmd      *exec.Cmd
	address  string  // a TCP address, or the path of a socket
	teaching string  // where it learns, if that is another address
	behind   *daemon // the one it stores in, if any
}

// requestTimeout is how long a daemon may take for one request.
const requestTimeout = time.Minute

// start starts a daemon and waits until it takes connections at the address, at most
// as long as a request may take.
func (s *session) start(address string, argv ...string) (*daemon, error) {
	log, err := os.Create(filepath.Join(s.home, filepath.Base(argv[0])+".out"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.CommandContext(s.ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.home, s.environment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d := &daemon{cmd: cmd, address: address}
	network := "tcp"
	if filepath.IsAbs(address) {
		network = "unix"
	}
	for wait := requestTimeout; wait > 0; wait -= 50 * time.Millisecond {
		if connection, err := net.Dial(network, address); err == nil {
			return d, connection.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.stop()
	said, _ := os.ReadFile(log.Name())
	return nil, fmt.Errorf("%s does not answer at %s: %s", argv[0], address, lastLine(string(said)))
}

// giveTo changes the owner of the session's home and its content to a user.
func (s *session) giveTo(name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	return filepath.WalkDir(s.home, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, -1)
	})
}

// cost returns the cost of the daemon, its children and the daemon behind it since their start.
func (d *daemon) cost() cost {
	sum := treeCost(d.cmd.Process.Pid)
	if d.behind != nil {
		behind := d.behind.cost()
		sum.cpu += behind.cpu
		sum.memory += behind.memory
	}
	return sum
}

// stop ends the daemon's process group, and the daemon behind it.
func (d *daemon) stop() {
	group := -d.cmd.Process.Pid
	syscall.Kill(group, syscall.SIGTERM)
	impatient := time.AfterFunc(5*time.Second, func() { syscall.Kill(group, syscall.SIGKILL) })
	d.cmd.Wait()
	impatient.Stop()
	if d.behind != nil {
		d.behind.stop()
	}
}

// freeAddress returns an address of the loopback interface that nobody listens at.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
