package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/store"
)

// TestMain is also the program: with arguments in the environment it is nothing else.
func TestMain(m *testing.M) {
	if args := os.Getenv("POLYA_FLEET_TEST"); args != "" {
		os.Args = append([]string{"polya-fleet"}, strings.Fields(args)...)
		time.AfterFunc(5*time.Minute, func() { os.Exit(3) }) // no test is that long
		main()
		return
	}
	os.Exit(m.Run())
}

// machines are processes of nodes on this one.
type machines struct {
	t     *testing.T
	dir   string
	names []string
	run   map[string]*exec.Cmd
	web   map[string]*http.Client
}

// newMachines writes the configurations of a fleet.
func newMachines(t *testing.T, names ...string) *machines {
	t.Helper()
	dir, err := os.MkdirTemp("", "fleet") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	f := &machines{t, dir, names, map[string]*exec.Cmd{}, map[string]*http.Client{}}
	t.Cleanup(func() {
		for _, name := range names {
			f.end(name, syscall.SIGKILL)
			if t.Failed() {
				log, _ := os.ReadFile(f.path(name, "log"))
				t.Logf("log of %s:\n%s", name, log[max(0, len(log)-4000):])
			}
		}
		os.RemoveAll(dir)
	})
	ports := freePorts(t, 2*len(names))
	for i, name := range names {
		routes := []string{}
		for k := range names {
			if k != i {
				routes = append(routes, fmt.Sprintf("%q", ports[len(names)+k]))
			}
		}
		os.MkdirAll(f.path(name), 0o700)
		list, _ := json.Marshal(names)
		f.write(name, "fleet.toml", fmt.Sprintf("name = %q\nnodes = %s\nserve = \"polya.toml\"\nsnapshot = 300\n[server]\nlisten = %q\ncluster = %q\nroutes = [%s]\n",
			name, list, ports[i], ports[len(names)+i], strings.Join(routes, ", ")))
		f.write(name, "polya.toml", fmt.Sprintf("[database]\npath = \"mail.polya\"\n[[http]]\naddress = %q\n", f.path(name, "http")))
		f.web[name] = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", f.path(name, "http"))
		}, MaxIdleConnsPerHost: 100}}
	}
	return f
}

// freePorts returns addresses that the system gives to nobody who asks for any.
func freePorts(t *testing.T, n int) (list []string) {
	for try := 0; len(list) < n; try++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)))
		if err == nil {
			defer l.Close()
			list = append(list, l.Addr().String())
		} else if try > 1000 {
			t.Fatal(err)
		}
	}
	return list
}

func (f *machines) path(name string, more ...string) string {
	return filepath.Join(append([]string{f.dir, name}, more...)...)
}

func (f *machines) write(name, file, text string) {
	if err := os.WriteFile(f.path(name, file), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *machines) start(names ...string) {
	f.t.Helper()
	for _, name := range names {
		log, err := os.OpenFile(f.path(name, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			f.t.Fatal(err)
		}
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "POLYA_FLEET_TEST=node "+f.path(name, "fleet.toml"))
		c.Stderr = log
		if err := c.Start(); err != nil {
			f.t.Fatal(err)
		}
		log.Close()
		f.run[name] = c
	}
}

func (f *machines) end(name string, how syscall.Signal) {
	if c := f.run[name]; c != nil {
		c.Process.Signal(how)
		c.Wait()
		delete(f.run, name)
	}
}

// command runs a command about the fleet, as told to a node, and reads its JSON.
func (f *machines) command(v any, name, at string, flags ...string) error {
	f.t.Helper()
	var out, log bytes.Buffer
	err := runWith(f.t.Context(), append([]string{name, f.path(at, "fleet.toml"), "--json"}, flags...), &out, &log)
	if text := out.Bytes(); v != nil && len(text) > 0 {
		if bad := json.Unmarshal(text, v); bad != nil {
			f.t.Fatalf("%s: %v\n%s", name, bad, text)
		}
	}
	return err
}

// until waits until all nodes are in a state, and have the last of the log.
func (f *machines) until(what string, state node.State) *fleet {
	f.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var all fleet
		err := f.command(&all, "status", f.names[0])
		there := 0
		for _, n := range all.Nodes {
			if n.State == state && (state != node.Following || all.Stream != nil && n.Position == all.Stream.Last) {
				there++
			}
		}
		if there == len(f.names) {
			return &all
		}
		if time.Now().After(end) {
			f.t.Fatalf("%s: %v, %+v", what, err, all)
		}
	}
}

// equal holds that verify finds nothing.
func (f *machines) equal(what string) {
	f.t.Helper()
	var found struct {
		Nodes []node.Hashes
	}
	if err := f.command(&found, "verify", f.names[0]); err != nil || len(found.Nodes) != len(f.names) || found.Nodes[0].Dump == "" || found.Nodes[0].Calibration == "" {
		f.t.Fatalf("%s: %v, %+v", what, err, found)
	}
}

// ask sends a request and returns its status, 0 if there is no answer.
func (f *machines) ask(name, path, body string) (code int) {
	reply, err := f.web[name].Post("http://polya"+path, "", strings.NewReader(body))
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, reply.Body)
	reply.Body.Close()
	return reply.StatusCode
}

// get returns the status of a page, 0 if there is no answer, and copies its text.
func (f *machines) get(name, path string, to *strings.Builder) (code int) {
	reply, err := f.web[name].Get("http://polya" + path)
	if err != nil {
		return 0
	}
	defer reply.Body.Close()
	if to != nil {
		io.Copy(to, reply.Body)
	}
	return reply.StatusCode
}

// letter is a message of a class, another for each n.
func letter(class string, n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var b strings.Builder
	fmt.Fprintf(&b, "Subject: %s %d\r\nMessage-ID: <%s%d@example.org>\r\n\r\n", class, n, class, n)
	for range 40 {
		fmt.Fprintf(&b, "%s%d word%d ", class, r.IntN(300), r.IntN(3000))
	}
	return b.String() + "\r\n"
}

var classes = []string{"ham", "spam"}

// teach teaches messages from one number to another, each until it is acknowledged, 24 at a
// time at nodes in turn, and counts what was.
func (f *machines) teach(from, to int, count *atomic.Int64) (wait func()) {
	var all sync.WaitGroup
	next := atomic.Int64{}
	next.Store(int64(from))
	for w := range 24 {
		all.Go(func() {
			for n := int(next.Add(1)) - 1; n < to; n = int(next.Add(1)) - 1 {
				class := classes[n%2]
				for try := w; f.ask(f.names[try%len(f.names)], "/v1/train?class="+class, letter(class, n)) != 200; try++ {
					if f.t.Context().Err() != nil {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
				count.Add(1)
			}
		})
	}
	return all.Wait
}

func (f *machines) dump(name string) []byte {
	f.t.Helper()
	db, err := store.Open(f.path(name, "mail.polya"), store.Options{ReadOnly: true})
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	var b bytes.Buffer
	if err := db.Dump(f.t.Context(), &b, true); err != nil {
		f.t.Fatal(err)
	}
	return b.Bytes()
}

// Three nodes learn 2,000 messages, each acknowledged by one of them, while the leader of their
// log is killed and started again: all have all of them, and the same. So they do after the
// log was lost, and one of them its database.
func TestThreeNodes(t *testing.T) {
	const messages = 2000
	f := newMachines(t, "a", "b", "c")
	f.start(f.names...)
	f.until("nodes without a log", node.NoLog)
	if code := f.get("a", "/readyz", nil); code != 503 {
		t.Errorf("a node that has nothing of the log is ready: %d", code)
	}
	if err := f.command(nil, "verify", "a", "--timeout", "1s"); err == nil {
		t.Error("verify finds all nodes equal without a log")
	}
	if err := f.reseed("a"); err != nil {
		t.Fatal(err)
	}
	var learned atomic.Int64
	wait := f.teach(0, messages, &learned)
	more := func(n int64) {
		for learned.Load() < n {
			time.Sleep(5 * time.Millisecond)
		}
	}
	more(messages / 4)
	var all fleet
	f.command(&all, "status", "b")
	leader := all.Stream.Leader
	f.end(leader, syscall.SIGKILL)
	more(learned.Load() + 100)
	f.start(leader)
	wait()
	if got := f.until("all messages", node.Following); got.Nodes[0].Documents != messages {
		t.Errorf("%d messages are learned", got.Nodes[0].Documents)
	}
	f.equal("after the leader was killed")
	if err := f.reseed("b"); err == nil {
		t.Error("a log that is there is made anew")
	}

	for _, name := range f.names {
		f.end(name, syscall.SIGTERM)
		os.RemoveAll(f.path(name, "jetstream"))
	}
	if a, b := f.dump("a"), f.dump("b"); !bytes.Equal(a, b) || !bytes.Equal(a, f.dump("c")) {
		t.Error("dumps differ")
	}
	os.Remove(f.path("c", "mail.polya"))
	f.start("a", "b")
	for f.ask("a", "/v1/classify", letter("spam", 5000)) != 200 {
		time.Sleep(20 * time.Millisecond)
	}
	if code := f.ask("a", "/v1/train?class=spam", letter("spam", 5000)); code != 503 {
		t.Errorf("training without a log: %d", code)
	}
	f.start("c")
	f.lost("a", "b")
	if a, c := f.get("a", "/readyz", nil), f.get("c", "/readyz", nil); a != 200 || c != 503 {
		t.Errorf("ready without a log: a node with its database %d, one without %d", a, c)
	}
	if err := f.reseed("c"); err != nil {
		t.Fatal(err)
	}
	f.teach(messages, messages+100, &learned)()
	if got := f.until("messages in the new log", node.Following); got.Nodes[2].Documents != messages+100 || got.Stream.First <= 1 {
		t.Errorf("%+v", got)
	}
	f.equal("after the log was lost")
	var metrics strings.Builder
	if code := f.get("c", "/readyz", nil); code != 200 || f.get("c", "/metrics", &metrics) != 200 {
		t.Errorf("a node that has caught up is not ready: %d", code)
	}
	for _, want := range []string{"polya_fleet_state{state=\"following\"} 1\n", "polya_fleet_state{state=\"lost-log\"} 0\n", "polya_fleet_lag 0\n", "polya_fleet_clock_seconds "} {
		if !strings.Contains(metrics.String(), want) {
			t.Errorf("no %q in\n%s", want, metrics.String())
		}
	}
}

// What is wrong with a call, a file or a fleet is one line, and an exit code.
func TestWrongCalls(t *testing.T) {
	t.Parallel()
	f := newMachines(t, "a", "b")
	text := string(must(os.ReadFile(f.path("a", "fleet.toml"))))
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	for name, text := range map[string]string{
		"fleet.toml.store":    text + "store = \"fleet.toml/log\"\n",
		"fleet.toml.database": strings.Replace(text, "polya.toml", "polya.toml.database", 1),
		"fleet.toml.busy":     regexp.MustCompile(`listen = ".*"`).ReplaceAllString(text, fmt.Sprintf("listen = %q", l.Addr())),
		"polya.toml.database": strings.Replace(string(must(os.ReadFile(f.path("a", "polya.toml")))), "mail.polya", ".", 1),
	} {
		f.write("a", name, text)
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"", "status      say how", 0},
		{"stauts FILE", "unknown command \"stauts\" (did you mean \"status\"?); see 'polya-fleet help'", 3},
		{"status", "status needs the file of a configuration; see 'polya-fleet help status'", 3},
		{"status FILE FILE", "status needs the file of a configuration and nothing more", 3},
		{"status --what FILE", "unknown flag: --what", 3},
		{"status FILE", ": no server of the log answers", 3},
		{"verify nowhere", "polya-fleet: open nowhere: no such file", 3},
		{"node --check FILE", "fleet.toml: the configuration is right", 0},
		{"node --check FILE.store", "server.store: ", 3},
		{"node --check FILE.database", ": is a directory", 3},
		{"node --check FILE.busy", " that is right if it is this node", 0},
		{"node --init FILE.new", "fleet.toml.new: written", 0},
		{"node --init FILE", "fleet.toml: exists already", 3},
		{"help", "status      say how", 0},
		{"status --help", "polya-fleet status FILE", 0},
	} {
		p := exec.Command(os.Args[0])
		p.Env = append(os.Environ(), "POLYA_FLEET_TEST="+strings.ReplaceAll(c.args, "FILE", f.path("a", "fleet.toml")))
		if c.args == "" {
			p.Env[len(p.Env)-1] += " "
		}
		out, _ := p.CombinedOutput()
		if p.ProcessState.ExitCode() != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %d, %s", c.args, p.ProcessState.ExitCode(), out)
		}
	}
}

// runWith runs a command with other streams.
func runWith(ctx context.Context, args []string, out, log io.Writer) error {
	c := newCall()
	c.Stdout, c.Stderr = out, log
	return c.run(ctx, args)
}

// reseed runs reseed, whose output is text.
func (f *machines) reseed(at string) error {
	return runWith(f.t.Context(), []string{"reseed", f.path(at, "fleet.toml")}, io.Discard, io.Discard)
}

// lost waits until nodes say that their log is lost.
func (f *machines) lost(names ...string) {
	f.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		var all fleet
		err := f.command(&all, "status", f.names[0])
		there := 0
		for _, n := range all.Nodes {
			if n.State == node.LostLog || n.State == node.NoLog && n.Log == nil {
				there++
			}
		}
		if there == len(f.names) && errors.Is(err, notWell) {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("lost log: %v, %+v", err, all)
		}
	}
}
