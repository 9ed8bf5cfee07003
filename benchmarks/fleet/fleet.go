//go:build linux

// Package fleet shows and measures the behaviour of three nodes of polya-fleet when faults
// occur while they are taught.
//
// The nodes are processes with folders of their own, which are taught over HTTP, each by as
// many callers. A caller waits until a training is acknowledged; if it fails the caller
// retries with the next node, as a mail server does. Of 100 messages three are moved to
// another class afterwards, three forgotten, and two taught again, by another node than
// before. The messages are divided among the faults; each fault happens after a quarter of
// its share was taught.
//
// After each fault all nodes must follow the log, hold the same by "polya-fleet verify", and
// answer a sample of messages with the same bytes, reasons included. In the end the ledger
// of each must have all acknowledged messages, and nothing else; their dumps must be equal;
// and their counts must equal those of a single database that learned the same messages.
//
// For root each node has a network namespace, so that cables can be pulled, and a node can
// get a small disk of its own, which can be full; else these faults are left out.
package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// size is the number of nodes.
const size = 3

// options of a run.
type options struct {
	n, callers, snapshot, sample int
	sync, dir, program, fault    string
	limit, lasts                 time.Duration
	keep, loopback               bool
}

// Run is the measure.
func Run(ctx context.Context, args []string) {
	var o options
	f := harness.Flags("fleet [flags] [CORPUS]")
	f.IntVar(&o.n, "n", 20_000, "messages that are taught")
	f.IntVar(&o.callers, "callers", 8, "callers at each node")
	f.StringVar(&o.sync, "sync", "always", "when a node writes the log to its disk: always, or an interval")
	f.StringVar(&o.fault, "fault", "", "only the faults with this in their names")
	f.StringVar(&o.dir, "dir", "", "where the nodes have their folders, on the disk that is to be measured; $TMPDIR by default")
	f.StringVar(&o.program, "program", "", "polya-fleet; built by default")
	f.DurationVar(&o.limit, "for", time.Hour, "no further fault begins after that")
	f.DurationVar(&o.lasts, "lasts", time.Hour, "no fault lasts longer, unless it has to")
	f.BoolVar(&o.keep, "keep", false, "leave the folders of the nodes, and what they said")
	f.BoolVar(&o.loopback, "loopback", false, "have all nodes on loopback, also as root")
	corpus := append(harness.Parse(f, args, 0, 1), "")[0]
	o.sample, o.snapshot = 100, max(100, o.n/80)
	show(ctx, o, harness.Folders(corpus))
}

// fleet is three nodes and their lessons.
type fleet struct {
	program  string // polya-fleet
	dir      string
	net      *network
	nodes    []*node
	messages []harness.Document
	classes  []string

	next      atomic.Int64   // the number of the next lesson
	last      atomic.Int64   // and the number after the last so far
	failed    map[int]bool   // lessons with a try that was not acknowledged
	overtaken map[int]string // the failed ones that are in another class than they were moved to last
}

// show runs the faults, prints the table, and checks the result.
func show(ctx context.Context, o options, docs []harness.Document) (done []*scenario, ledgers found) {
	dir, remove := harness.Scratch(o.dir)
	if !o.keep {
		defer remove()
	}
	f := &fleet{program: o.program, dir: dir, messages: harness.Shuffled(docs, 1), classes: harness.Classes(docs), failed: map[int]bool{}, overtaken: map[int]string{}}
	if f.program == "" {
		f.program = build(ctx, dir)
	}
	defer f.close()
	f.make(o)
	start(ctx, f, all)
	f.until(ctx, "the log can be made", func() { f.command(ctx, 0, "reseed") })
	f.settled(ctx)
	var happen []fault
	shares := 0
	for _, x := range faults {
		if strings.Contains(x.name, o.fault) && (!x.root || f.net.prefix != "") {
			happen = append(happen, x)
			shares += max(x.share, 1)
		}
	}
	// Three figures in a cell are the median, the 99th percentile and the longest.
	harness.Head("fault", "of node", "trainings", "a second", "tries that failed", "longest gap s", "behind for s", "wait ms", "load")
	for began, i := time.Now(), 0; i < len(happen) && time.Since(began) < o.limit; i++ {
		x := happen[i]
		x.lasts = min(x.lasts, o.lasts)
		s := f.run(ctx, x, o.n*max(x.share, 1)/shares, o.callers)
		done = append(done, s)
		s.print()
		f.check(ctx, o.sample)
	}
	ledgers = f.ledgers(ctx)
	fmt.Printf("\n%d messages: entries of all ledgers %+v; equal answers; equal dumps, SHA-256 %.16s…; counts as of one that learned alone.\n", f.last.Load(), ledgers, f.alone(ctx))
	return done, ledgers
}

// build builds the program, which is of a module of its own.
func build(ctx context.Context, dir string) string {
	path := filepath.Join(dir, "polya-fleet")
	root := harness.Must(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/polya-classifier/polya").Output())
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, ".")
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), "cmd", "polya-fleet")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		harness.Failf("building polya-fleet: %w: %s", err, out)
	}
	return path
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

// make makes the folders of three nodes.
func (f *fleet) make(o options) {
	f.net = newNetwork(o.loopback)
	var ports []string
	for range 2 * size {
		_, port, _ := strings.Cut(harness.FreeAddress(), ":")
		ports = append(ports, port)
	}
	for i := range size {
		n := newNode(i, filepath.Join(f.dir, name(i)), f.net)
		f.nodes = append(f.nodes, n)
		var routes []string
		for j := range size {
			if j != i {
				routes = append(routes, fmt.Sprintf("%q", f.net.address(j)+":"+ports[size+j]))
			}
		}
		files := strings.NewReplacer("NAME", name(i), "SNAPSHOT", fmt.Sprint(o.snapshot), "SYNC", o.sync,
			"CLIENTS", f.net.address(i)+":"+ports[i], "CLUSTER", f.net.address(i)+":"+ports[size+i],
			"ROUTES", strings.Join(routes, ", "), "SOCKET", n.path("http.sock"), "CLASSES", fmt.Sprintf(`"%s"`, strings.Join(f.classes, `", "`)))
		harness.Check(os.MkdirAll(n.dir, 0o700))
		for file, text := range map[string]string{"fleet.toml": configuration, "polya.toml": daemon, "token": "a-token-of-a-test-0123456789"} {
			harness.Check(os.WriteFile(n.path(file), []byte(files.Replace(text)), 0o600))
		}
	}
}

func name(node int) string { return string(rune('a' + node)) }

// until calls try until it succeeds or patience is over.
func (f *fleet) until(ctx context.Context, what string, try func()) {
	for limit := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := harness.Try(try)
		harness.Check(ctx.Err())
		if err == nil {
			return
		}
		for _, n := range f.nodes {
			if n.gone() {
				harness.Failf("node %s has ended by itself; it says why in %s", name(n.number), n.dir+".log")
			}
		}
		if time.Now().After(limit) {
			harness.Failf("after %s not yet so that %s: %w", patience, what, err)
		}
	}
}

// command runs a command of the program at a node.
func (f *fleet) command(ctx context.Context, node int, command string, args ...string) []byte {
	cmd := f.net.command(node, f.program, append(append([]string{command}, args...), f.nodes[node].path("fleet.toml"))...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && command != "status" {
		harness.Failf("%s: %w: %s", command, err, strings.TrimSpace(string(out)+string(failed.Stderr)))
	}
	harness.Check(ctx.Err())
	return out
}

// status is the output of the command status, whose exit code says that a node is away.
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

func (f *fleet) status(ctx context.Context, asked int) (s status) {
	harness.Check(json.Unmarshal(f.command(ctx, asked, "status", "--json"), &s))
	return s
}

// leader returns the node that leads the stream.
func (f *fleet) leader(ctx context.Context) (leader int) {
	f.until(ctx, "the log has a leader", func() {
		named := f.status(ctx, 0).Stream.Leader
		if leader = slices.IndexFunc(f.nodes, func(n *node) bool { return name(n.number) == named }); leader < 0 {
			harness.Failf("none is named")
		}
	})
	return leader
}

// settled waits until all nodes are well, and have applied the whole log.
func (f *fleet) settled(ctx context.Context) {
	f.until(ctx, "all nodes have applied the log", func() {
		s := f.status(ctx, 0)
		for _, n := range s.Nodes {
			if n.State != "following" || n.Position != s.Stream.Last {
				harness.Failf("node %s: %s at %d of %d", n.Name, n.State, n.Position, s.Stream.Last)
			}
		}
		if len(s.Problems) > 0 || len(s.Nodes) < size {
			harness.Failf("%d nodes, problems %q", len(s.Nodes), s.Problems)
		}
	})
}

// close ends everything, and removes everything outside the folder.
func (f *fleet) close() {
	for _, n := range f.nodes {
		n.kill()
		n.unmount()
	}
	f.net.close()
}

// lesson is the sequence of steps for one message, each at another node than the last:
// classes, or "" to forget it.
type lesson struct {
	raw   []byte
	steps []string
}

// lesson returns the lesson with this number: one of the messages, with the number
// appended, so that it is a new document. Of 100 three are corrected, three are
// forgotten, and two are taught twice.
func (f *fleet) lesson(number int) lesson {
	m := f.messages[number%len(f.messages)]
	l := lesson{fmt.Appendf(m.Raw[:len(m.Raw):len(m.Raw)], "\n%d\n", number), []string{m.Class}}
	switch number % 100 {
	case 10, 40, 70:
		l.steps = append(l.steps, f.classes[slices.IndexFunc(f.classes, func(c string) bool { return c != m.Class })])
	case 20, 50, 80:
		l.steps = append(l.steps, "")
	case 30, 60:
		l.steps = append(l.steps, m.Class)
	}
	return l
}

// class is the final class of the lesson's document, "" for none.
func (l lesson) class() string { return l.steps[len(l.steps)-1] }

// scenario is the result of the trainings during a fault. Callers each wait until a
// training is acknowledged, and retry it with the next node until it is.
type scenario struct {
	fault  fault
	node   string // the affected node, all, or –
	behind string // how long after the fault the last node had applied what was acknowledged before its end
	load   string

	started, taught time.Time
	mu              sync.Mutex
	acks            []time.Time // of acknowledgements
	waits           []float64   // for them, in ms: the last try of each
	failed          int         // tries without an acknowledgement
	first           error       // of them
}

// longest is how long a scenario may take.
const longest = 20 * time.Minute

// run teaches n lessons, runs the fault meanwhile, and waits until all nodes have applied
// all.
func (f *fleet) run(ctx context.Context, x fault, n, callers int) *scenario {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	s := &scenario{fault: x, node: "–", behind: "–", started: time.Now()}
	f.last.Add(int64(n))
	taught := make(chan error)
	go func() {
		taught <- harness.Try(func() { harness.Each(size*callers, size*callers, func(i int) { f.teach(ctx, s, i%size) }) })
	}()
	err := harness.Try(func() { s.happen(ctx, f, n) })
	if err != nil {
		cancel()
	}
	err = errors.Join(err, <-taught)
	s.taught = time.Now()
	if err != nil {
		harness.Failf("%s: %d trainings of %d messages acknowledged: %w; the first that failed: %v", x.name, len(s.acks), n, err, s.first)
	}
	f.settled(ctx)
	s.load = harness.Load()
	return s
}

// happen begins the fault when a quarter is taught, and ends it.
func (s *scenario) happen(ctx context.Context, f *fleet, n int) {
	x := s.fault
	if x.of == nil {
		return
	}
	node := x.of(ctx, f)
	if s.node = "all"; node != all {
		s.node = name(node)
	}
	s.acknowledged(ctx, n/4, longest)
	x.begin(ctx, f, node)
	s.acknowledged(ctx, n*3/4, x.lasts)
	x.end(ctx, f, node)
	over := time.Now()
	last := uint64(0) // what was acknowledged is applied by the node that acknowledged it
	for _, n := range f.nodes {
		_ = harness.Try(func() { last = max(last, n.position(ctx)) })
	}
	for _, n := range f.nodes {
		f.until(ctx, "a node has caught up", func() {
			if n.position(ctx) < last {
				harness.Failf("it is behind")
			}
		})
	}
	s.behind = harness.Number(time.Since(over).Seconds(), 1)
}

// acknowledged waits until n trainings are acknowledged, but not longer than atMost.
func (s *scenario) acknowledged(ctx context.Context, n int, atMost time.Duration) {
	for limit := time.Now().Add(atMost); time.Now().Before(limit) && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		done := len(s.acks)
		s.mu.Unlock()
		if done >= n {
			return
		}
	}
}

// A client gives up after tryTime, and waits tryPause before it goes to the next node.
const (
	tryTime  = 15 * time.Second
	tryPause = 100 * time.Millisecond
)

// teach teaches one lesson after the other, each step until it is acknowledged.
func (f *fleet) teach(ctx context.Context, s *scenario, home int) {
	for {
		number := f.next.Add(1) - 1
		if number >= f.last.Load() {
			f.next.Add(-1)
			return
		}
		l := f.lesson(int(number))
		for i, class := range l.steps {
			path := "/v1/forget?source=fleet"
			if class != "" {
				path = "/v1/train?source=fleet&class=" + url.QueryEscape(class)
			}
			for try := home + i; ; try++ {
				within, cancel := context.WithTimeout(ctx, tryTime)
				start := time.Now()
				err := harness.Try(func() { f.nodes[try%size].ask(within, "POST", path, l.raw) })
				cancel()
				harness.Check(ctx.Err())
				if f.note(s, int(number), start, err) {
					break
				}
				time.Sleep(tryPause)
			}
		}
	}
}

func (f *fleet) note(s *scenario, number int, start time.Time, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.acks, s.waits = append(s.acks, time.Now()), append(s.waits, harness.Milliseconds(time.Since(start)))
		return true
	}
	f.failed[number] = true
	if s.failed++; s.first == nil {
		s.first = err
	}
	return false
}

// print prints the scenario's row of the table.
func (s *scenario) print() {
	slices.SortFunc(s.acks, time.Time.Compare)
	gap, last := time.Duration(0), s.started
	for _, at := range s.acks {
		gap, last = max(gap, at.Sub(last)), at
	}
	q := func(x float64) string { return harness.Number(harness.Quantile(s.waits, x), 0) }
	harness.Row(s.fault.name, s.node, len(s.acks), harness.Number(float64(len(s.acks))/s.taught.Sub(s.started).Seconds(), 0), s.failed,
		harness.Number(gap.Seconds(), 1), s.behind, q(.5)+" / "+q(.99)+" / "+q(1), s.load)
}
