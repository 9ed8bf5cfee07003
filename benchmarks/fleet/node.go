//go:build linux

package fleet

import (
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

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// node is one process of the fleet and its folder.
type node struct {
	number  int
	dir     string
	mounted bool // a disk of its own
	net     *network
	http    *http.Client

	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
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
func (n *node) start(program string) {
	out := harness.Must(os.OpenFile(n.dir+".log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600))
	defer out.Close()
	cmd := n.net.command(n.number, program, "node", n.path("fleet.toml"))
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	harness.Check(cmd.Start())
	ended := make(chan struct{})
	n.process, n.ended = cmd, ended
	go func() { cmd.Wait(); close(ended) }()
}

// gone reports whether the process has ended by itself.
func (n *node) gone() bool {
	if n.process != nil {
		select {
		case <-n.ended:
			return true
		default:
		}
	}
	return false
}

// patience is the longest time for a node to start, stop, or catch up without trainings.
const patience = 2 * time.Minute

// end ends the process by a signal and waits for that.
func (n *node) end(signal syscall.Signal) {
	if n.process == nil {
		return
	}
	n.process.Process.Signal(signal)
	defer func() { n.process = nil }()
	select {
	case <-n.ended:
	case <-time.After(patience):
		n.process.Process.Kill()
		<-n.ended
		harness.Failf("node %d did not end within %s of signal %s", n.number, patience, signal)
	}
}

func (n *node) kill() { n.end(syscall.SIGKILL) }

// ask makes a request and returns the reply; its status must be 200.
func (n *node) ask(ctx context.Context, method, path string, body []byte) []byte {
	reply := harness.Must(n.http.Do(harness.Must(http.NewRequestWithContext(ctx, method, "http://node"+path, bytes.NewReader(body)))))
	defer reply.Body.Close()
	data := harness.Must(io.ReadAll(reply.Body))
	if reply.StatusCode != http.StatusOK {
		harness.Failf("node %d, %s: %s: %s", n.number, path, reply.Status, bytes.TrimSpace(data))
	}
	return data
}

// position returns the position up to which the node has applied the log.
func (n *node) position(ctx context.Context) uint64 {
	_, rest, _ := strings.Cut(string(n.ask(ctx, "GET", "/metrics", nil)), "\npolya_log_position ")
	value, _, _ := strings.Cut(rest, "\n")
	return uint64(harness.Must(strconv.ParseFloat(value, 64)))
}

// entry is a row of a ledger.
type entry struct{ ID, Class string }

// ledger calls f with each document that the node has learned.
func (n *node) ledger(ctx context.Context, f func(entry)) {
	for after := ""; ; {
		var page struct{ Ledger []entry }
		harness.Check(json.Unmarshal(n.ask(ctx, "GET", "/v1/ledger?limit=10000&after="+after, nil), &page))
		if len(page.Ledger) == 0 {
			return
		}
		for _, e := range page.Ledger {
			f(e)
			after = e.ID
		}
	}
}

// mount gives the node a small disk of its own, which can be full without harm to others.
func (n *node) mount() {
	for _, c := range [][]string{
		{"mv", n.dir, n.dir + ".was"}, {"mkdir", "-m", "700", n.dir},
		{"mount", "-t", "tmpfs", "-o", "size=1g", "none", n.dir}, {"cp", "-a", n.dir + ".was/.", n.dir}, {"rm", "-r", n.dir + ".was"},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			harness.Failf("%s: %w: %s", c, err, out)
		}
	}
	n.mounted = true
}

// fill takes all free space, also space freed later.
func (n *node) fill() {
	f := harness.Must(os.OpenFile(n.path("ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600))
	defer f.Close()
	var err error
	for size := 1 << 20; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		harness.Failf("filling %s: %w", n.dir, err)
	}
}

func (n *node) unmount() {
	if n.mounted {
		harness.Check(syscall.Unmount(n.dir, 0))
	}
}

// network has an address for each node. For root each node has a network namespace of its
// own, joined to the others by a bridge, so that a cable can be pulled: packets are then
// lost silently. Without root all nodes are on loopback.
type network struct {
	prefix string // of the names of namespaces; "" on loopback
}

func newNetwork(loopback bool) *network {
	n := &network{}
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 || loopback {
		return n
	}
	n.prefix = fmt.Sprintf("pf%d", os.Getpid()%100_000)
	commands := []string{"link add PREFIXb type bridge", "link set PREFIXb up"}
	for i := range size {
		commands = append(commands, fmt.Sprintf("netns add PREFIXn%d", i),
			fmt.Sprintf("link add PREFIXv%d type veth peer name eth0 netns PREFIXn%[1]d", i),
			fmt.Sprintf("link set PREFIXv%d master PREFIXb up", i),
			fmt.Sprintf("-n PREFIXn%d address add %s/24 dev eth0", i, n.address(i)),
			fmt.Sprintf("-n PREFIXn%d link set eth0 up", i),
			fmt.Sprintf("-n PREFIXn%d link set lo up", i))
	}
	for _, c := range commands {
		if err := n.ip(c); err != nil {
			n.close()
			harness.Check(err)
		}
	}
	return n
}

// ip runs the program ip.
func (n *network) ip(command string) error {
	command = strings.ReplaceAll(command, "PREFIX", n.prefix)
	if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", command, err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (n *network) address(node int) string {
	if n.prefix == "" {
		return "127.0.0.1"
	}
	return fmt.Sprintf("10.77.0.%d", node+1)
}

// command returns a command that runs in the network of a node.
func (n *network) command(node int, name string, args ...string) *exec.Cmd {
	if n.prefix == "" {
		return exec.Command(name, args...)
	}
	return exec.Command("ip", append([]string{"netns", "exec", fmt.Sprint(n.prefix, "n", node), name}, args...)...)
}

// plug has the cable of a node up or down.
func (n *network) plug(node int, to string) {
	harness.Check(n.ip(fmt.Sprintf("link set PREFIXv%d %s", node, to)))
}

func (n *network) close() {
	if n != nil && n.prefix != "" {
		for i := range size {
			n.ip(fmt.Sprintf("netns delete PREFIXn%d", i))
		}
		n.ip("link delete PREFIXb")
	}
}
