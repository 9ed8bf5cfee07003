//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// size is the number of nodes.
const size = 3

// fleet is three nodes and their lessons.
type fleet struct {
	program  string // polya-fleet
	dir      string
	net      *network
	nodes    []*node
	messages []message
	classes  []string

	next      atomic.Int64   // the number of the next lesson
	last      atomic.Int64   // and the number after the last so far
	failed    map[int]bool   // lessons with a try that was not acknowledged
	overtaken map[int]string // the failed ones that are in another class than they were moved to last
	callers   sync.WaitGroup
	stop      context.CancelFunc // ends watching the nodes
	watches   sync.WaitGroup
}

// configuration of a node: the required settings, with short waits and frequent
// snapshots, so that minutes here are like days elsewhere.
const configuration = `name = "NAME"
nodes = ["a", "b", "c"]
serve = "polya.toml"
snapshot = SNAPSHOT
wait = "10s"
[server]
listen = "CLIENTS"
cluster = "CLUSTER"
routes = [ROUTES]
store = "jetstream"
sync = "SYNC"
remote = true
[access]
token-file = "token"
`

// daemon is the configuration of the daemon in a node.
const daemon = `[database]
path = "mail.polya"
classes = [CLASSES]
control = false
[decisions]
keep = false
[[http]]
address = "SOCKET"
`

// newFleet makes the folders of three nodes.
func newFleet(o options, dir string, messages []message, classes []string) (*fleet, error) {
	network, err := newNetwork(size, o.loopback)
	if err != nil {
		return nil, err
	}
	f := &fleet{program: o.program, dir: dir, net: network, messages: messages, classes: classes, failed: make(map[int]bool), overtaken: make(map[int]string)}
	ports, err := freePorts(2 * size)
	if err != nil {
		return nil, err
	}
	for i := range size {
		n := newNode(i, filepath.Join(dir, name(i)), network)
		f.nodes = append(f.nodes, n)
		if err := os.MkdirAll(n.dir, 0o700); err != nil {
			return nil, err
		}
		var routes []string
		for j := range size {
			if j != i {
				routes = append(routes, fmt.Sprintf("%q", fmt.Sprint(network.address(j), ":", ports[size+j])))
			}
		}
		files := strings.NewReplacer("NAME", name(i), "SNAPSHOT", fmt.Sprint(o.snapshot), "SYNC", o.sync,
			"CLIENTS", fmt.Sprint(network.address(i), ":", ports[i]), "CLUSTER", fmt.Sprint(network.address(i), ":", ports[size+i]),
			"ROUTES", strings.Join(routes, ", "), "SOCKET", n.path("http.sock"), "CLASSES", fmt.Sprintf(`"%s"`, strings.Join(classes, `", "`)))
		for file, text := range map[string]string{"fleet.toml": configuration, "polya.toml": daemon, "token": "a-token-of-a-test-0123456789"} {
			if err := os.WriteFile(n.path(file), []byte(files.Replace(text)), 0o600); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

func name(node int) string { return string(rune('a' + node)) }

// freePorts returns ports that nobody listens on.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// begin starts all nodes and makes the log.
func (f *fleet) begin(ctx context.Context) error {
	ctx, f.stop = context.WithCancel(ctx)
	for _, n := range f.nodes {
		if err := n.start(f.program); err != nil {
			return err
		}
		f.watches.Go(func() { n.watch(ctx) })
	}
	if err := f.until(ctx, "the log can be made", func() error { _, err := f.command(ctx, 0, "reseed"); return err }); err != nil {
		return err
	}
	return f.settled(ctx)
}

// close ends everything, and removes everything outside the folder.
func (f *fleet) close() error {
	if f.stop != nil {
		f.stop()
		f.watches.Wait()
	}
	var errs []error
	for _, n := range f.nodes {
		errs = append(errs, n.end(syscall.SIGKILL), n.disk.close())
	}
	return errors.Join(append(errs, f.net.close())...)
}

// until calls try until it succeeds or patience is over.
func (f *fleet) until(ctx context.Context, what string, try func() error) error {
	limit := time.Now().Add(patience)
	for {
		err := try()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		for _, n := range f.nodes {
			if n.gone() {
				return fmt.Errorf("node %s has ended by itself; it says why in %s", name(n.number), n.dir+".log")
			}
		}
		if time.Now().After(limit) {
			return fmt.Errorf("after %s not yet so that %s: %w", patience, what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// command runs a command of the program at a node.
func (f *fleet) command(ctx context.Context, node int, command string, args ...string) ([]byte, error) {
	cmd := f.net.command(node, f.program, append(append([]string{command}, args...), f.nodes[node].path("fleet.toml"))...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w: %s", command, err, strings.TrimSpace(string(out)+string(failed.Stderr)))
	}
	return out, err
}

// status is the output of the command status.
type status struct {
	Stream struct {
		First, Last uint64
		Leader      string
	}
	Nodes []struct {
		Name, State string
		Position    uint64
	}
	Problems []string
}

func (f *fleet) status(ctx context.Context, asked int) (s status, err error) {
	out, err := f.command(ctx, asked, "status", "--json")
	if len(out) > 0 && json.Unmarshal(out, &s) != nil {
		err = fmt.Errorf("status: no JSON: %.100q", out)
	}
	return s, err
}

// leader returns the node that leads the stream.
func (f *fleet) leader(ctx context.Context) (leader int, err error) {
	err = f.until(ctx, "the log has a leader", func() error {
		s, err := f.status(ctx, 0)
		for i := range f.nodes {
			if s.Stream.Leader == name(i) {
				leader = i
				return nil
			}
		}
		return errors.Join(errors.New("none is named"), err)
	})
	return leader, err
}

// settled waits until all nodes are well, and have applied the whole log.
func (f *fleet) settled(ctx context.Context) error {
	return f.until(ctx, "all nodes have applied the log", func() error {
		s, err := f.status(ctx, 0)
		for _, n := range s.Nodes {
			if n.State != "following" || n.Position != s.Stream.Last {
				err = errors.Join(err, fmt.Errorf("node %s: %s at %d of %d", n.Name, n.State, n.Position, s.Stream.Last))
			}
		}
		return err
	})
}

// build builds the program.
func build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "polya-fleet")
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/polya-classifier/polya").Output()
	if err != nil {
		return "", fmt.Errorf("the repository: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, ".")
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), "cmd", "polya-fleet")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building polya-fleet: %w: %s", err, out)
	}
	return path, nil
}

func say(w io.Writer, format string, args ...any) {
	log.New(w, time.Now().Format("15:04:05 "), 0).Printf(format, args...)
}
