//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// node is one process of the fleet and its folder.
type node struct {
	number int
	dir    string
	disk   *disk // nil as long as the node needs none
	net    *network
	http   *http.Client

	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	trace   trace
}

func newNode(number int, dir string, network *network) *node {
	n := &node{number: number, dir: dir, net: network}
	n.http = &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", n.path("http.sock"))
		},
	}}
	return n
}

func (n *node) path(name string) string { return filepath.Join(n.dir, name) }

// start starts the process.
func (n *node) start(program string) error {
	out, err := os.OpenFile(n.dir+".log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := n.net.command(n.number, program, "node", n.path("fleet.toml"))
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	n.process, n.ended = cmd, ended
	go func() { cmd.Wait(); close(ended) }()
	return nil
}

// gone reports whether the process has ended by itself.
func (n *node) gone() bool {
	if n.process == nil {
		return false
	}
	select {
	case <-n.ended:
		return true
	default:
		return false
	}
}

// end ends the process by a signal and waits for that.
func (n *node) end(signal syscall.Signal) error {
	if n.process == nil {
		return nil
	}
	n.process.Process.Signal(signal)
	defer func() { n.process = nil }()
	select {
	case <-n.ended:
		return nil
	case <-time.After(patience):
		n.process.Process.Kill()
		<-n.ended
		return fmt.Errorf("node %d did not end within %s of signal %s", n.number, patience, signal)
	}
}

// patience is the longest time for a node to start, stop, or catch up without trainings.
const patience = 2 * time.Minute

// ask makes a request and returns the reply, which is an error unless its status is 200.
func (n *node) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, method, "http://node"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	reply, err := n.http.Do(q)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	data, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("node %d, %s: %s: %s", n.number, path, reply.Status, bytes.TrimSpace(data))
	}
	return data, err
}

// position returns the position up to which the node has applied the log.
func (n *node) position(ctx context.Context) (uint64, error) {
	data, err := n.ask(ctx, "GET", "/metrics", nil)
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "polya_log_position "); ok {
			p, err := strconv.ParseFloat(value, 64)
			return uint64(p), err
		}
	}
	return 0, errors.New("the metrics have no position")
}

// entry is a row of a ledger.
type entry struct{ ID, Class string }

// ledger calls f with each document that the node has learned.
func (n *node) ledger(ctx context.Context, f func(entry)) error {
	for after := ""; ; {
		data, err := n.ask(ctx, "GET", "/v1/ledger?limit=10000&after="+after, nil)
		if err != nil {
			return err
		}
		var page struct{ Ledger []entry }
		if err := json.Unmarshal(data, &page); err != nil || len(page.Ledger) == 0 {
			return err
		}
		for _, e := range page.Ledger {
			f(e)
			after = e.ID
		}
	}
}
