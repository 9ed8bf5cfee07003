//go:build linux

package fleet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/store"
	mime "github.com/polya-classifier/polya/tokenize/mail"
)

// fault is what happens to a fleet while it is taught.
type fault struct {
	name       string
	of         func(ctx context.Context, f *fleet) int // the number of the affected node, or all
	begin, end func(ctx context.Context, f *fleet, node int)

	// lasts is the longest duration: the fault ends sooner when three quarters of the
	// trainings are acknowledged.
	lasts time.Duration
	share int  // of the trainings, in multiples of the share of others; 0 is 1
	root  bool // it needs cables that can be pulled, or a disk of a node's own
}

// all is in place of a node's number.
const all = -1

func allNodes(context.Context, *fleet) int { return all }
func lastNode(context.Context, *fleet) int { return size - 1 }

// leader and follower are of the stream.
func leader(ctx context.Context, f *fleet) int   { return f.leader(ctx) }
func follower(ctx context.Context, f *fleet) int { return (f.leader(ctx) + 1) % size }

// each does something with node, or with every node if node is all.
func each(do func(f *fleet, n *node)) func(context.Context, *fleet, int) {
	return func(_ context.Context, f *fleet, node int) {
		for _, n := range f.nodes {
			if n.number == node || node == all {
				do(f, n)
			}
		}
	}
}

var (
	start = each(func(f *fleet, n *node) { n.start(f.program) })
	cut   = each(func(f *fleet, n *node) { f.net.plug(n.number, "down") })
	reap  = each(func(_ *fleet, n *node) { n.kill() })
	heal  = each(func(f *fleet, n *node) { f.net.plug(n.number, "up") })
)

func kill(ctx context.Context, f *fleet, node int) {
	send(syscall.SIGKILL)(ctx, f, node) // all, before any is waited for
	reap(ctx, f, node)
}

func send(signal syscall.Signal) func(context.Context, *fleet, int) {
	return each(func(_ *fleet, n *node) { harness.Check(n.process.Process.Signal(signal)) })
}

// faults in the order in which they happen.
var faults = []fault{
	{name: "none"},
	{name: "kill -9 of the leader", of: leader, begin: kill, end: start, lasts: 5 * time.Second},
	{name: "kill -9 of a follower", of: follower, begin: kill, end: start, lasts: 5 * time.Second},
	{name: "kill -9 of all", of: allNodes, begin: kill, end: start, lasts: time.Second},
	{name: "a follower frozen", of: follower, lasts: 10 * time.Second, begin: send(syscall.SIGSTOP), end: send(syscall.SIGCONT)},
	{name: "partition of the leader", of: leader, begin: cut, end: heal, lasts: 15 * time.Second, root: true},
	{name: "partition of a follower", of: follower, begin: cut, end: heal, lasts: 15 * time.Second, root: true},
	{name: "partition of each from each", of: allNodes, begin: cut, end: heal, lasts: 10 * time.Second, root: true},
	{name: "a node away until the log is cut", of: follower, begin: leave, end: start, share: 4},
	{name: "a new node in the place of one", of: follower, begin: replace, end: start, lasts: 5 * time.Second},
	{name: "the log lost, seeded again", of: allNodes, begin: loseLog, end: reseed, lasts: 5 * time.Second},
	{name: "a disk full", of: lastNode, begin: fill, lasts: 15 * time.Second, root: true,
		end: each(func(_ *fleet, n *node) { harness.Check(os.Remove(n.path("ballast"))) })},
}

// leave stops a node until the log no longer has the records that it has not applied: it
// must begin from a snapshot.
func leave(ctx context.Context, f *fleet, node int) {
	at := f.nodes[node].position(ctx)
	f.nodes[node].end(syscall.SIGTERM)
	for ; f.status(ctx, (node+1)%size).Stream.First <= at+1; time.Sleep(200 * time.Millisecond) {
		if f.next.Load() >= f.last.Load() {
			harness.Failf("all is taught, and the log has still what node %s, at %d, has not: more trainings are needed", name(node), at)
		}
	}
}

// fill gives the node a disk of its own, and takes all space there.
func fill(ctx context.Context, f *fleet, node int) {
	n := f.nodes[node]
	n.end(syscall.SIGTERM)
	n.mount()
	start(ctx, f, node)
	f.settled(ctx)
	n.fill()
}

// replace kills a node and removes all its files but its configuration.
func replace(ctx context.Context, f *fleet, node int) {
	n := f.nodes[node]
	n.kill()
	harness.Check(os.RemoveAll(n.path("jetstream")))
	for _, path := range harness.Must(filepath.Glob(n.path("mail.polya*"))) {
		harness.Check(os.Remove(path))
	}
}

// loseLog kills all nodes, removes the log of each, and starts them: they answer, learn
// nothing, and say why.
func loseLog(ctx context.Context, f *fleet, _ int) {
	kill(ctx, f, all)
	for _, n := range f.nodes {
		harness.Check(os.RemoveAll(n.path("jetstream")))
	}
	start(ctx, f, all)
}

// reseed makes a new log. It needs all nodes, and a leading server.
func reseed(ctx context.Context, f *fleet, _ int) {
	for _, n := range f.nodes {
		f.until(ctx, "a node without its log answers", func() { n.ask(ctx, "POST", "/v1/classify", f.messages[0].Raw) })
	}
	if len(f.status(ctx, 0).Problems) == 0 {
		harness.Failf("the log is lost, and status says that all is well")
	}
	f.until(ctx, "the log is made anew", func() { f.command(ctx, 0, "reseed") })
}

// check asks all nodes, which have applied the same log, about the same messages, learned
// and unknown ones, and runs verify. Answers are compared byte by byte, with their
// reasons.
func (f *fleet) check(ctx context.Context, sample int) {
	f.command(ctx, 0, "verify")
	for i := range sample {
		raw := f.messages[i*len(f.messages)/sample].Raw
		if i%2 == 0 {
			raw = f.lesson(i * int(f.last.Load()) / sample).raw
		}
		first := f.nodes[0].ask(ctx, "POST", "/v1/explain", raw)
		for _, n := range f.nodes[1:] {
			if answer := n.ask(ctx, "POST", "/v1/explain", raw); !bytes.Equal(first, answer) {
				harness.Failf("message %d: node %s answers %s, and node %s %s", i, name(0), first, name(n.number), answer)
			}
		}
	}
}

// found compares the ledgers of all nodes with the lessons.
type found struct {
	Right     int
	Lost      int // acknowledged, but missing
	Wrong     int // in another class, or present although forgotten
	Overtaken int // the same for messages with a failed try, which may have been applied after a later step
	Beyond    int // never taught
}

// compare compares the ledger of each node with the lessons.
func (f *fleet) compare(ctx context.Context) (all found, example string) {
	numbers := make(map[string]int, f.last.Load())
	for i := range int(f.last.Load()) {
		id := mime.ID(f.lesson(i).raw)
		numbers[hex.EncodeToString(id[:])] = i
	}
	for _, n := range f.nodes {
		has := make(map[int]string, len(numbers))
		n.ledger(ctx, func(e entry) {
			if i, ok := numbers[e.ID]; ok {
				has[i] = e.Class
			} else {
				all.Beyond++
			}
		})
		for i := range len(numbers) {
			l := f.lesson(i)
			is := has[i]
			switch {
			case is == l.class():
				all.Right++
				continue
			case is == "":
				all.Lost++
			case f.failed[i]:
				all.Overtaken++
				f.overtaken[i] = is
			default:
				all.Wrong++
			}
			example = fmt.Sprintf("node %s: message %d, taught as %q: %q", name(n.number), i, l.steps, is)
		}
	}
	return all, example
}

func (f *fleet) ledgers(ctx context.Context) found {
	all, example := f.compare(ctx)
	if all.Lost+all.Wrong+all.Beyond > 0 {
		harness.Failf("of the ledgers' entries %+v: %s", all, example)
	}
	return all
}

// alone compares the databases of the nodes, which have ended: with each other, ledger
// included, and their counts with the counts of a single database that learned the same.
func (f *fleet) alone(ctx context.Context) (dump string) {
	c := harness.Must(classify.Open(filepath.Join(f.dir, "alone.polya"), classify.Options{Fitting: classify.FitByHand}))
	defer c.Close()
	var b classify.Batch
	for i := range int(f.last.Load()) {
		l := f.lesson(i)
		if class := cmp.Or(f.overtaken[i], l.class()); class != "" {
			harness.Check(b.Train(class, mail.Document(c, l.raw)))
		}
		if b.Len() == 1000 || i+1 == int(f.last.Load()) {
			harness.Must(c.Apply(ctx, &b))
			b.Reset()
		}
	}
	truth := sha256.New()
	harness.Check(c.Store().Dump(ctx, truth, false))
	for i, n := range f.nodes {
		n.end(syscall.SIGTERM)
		db := harness.Must(store.Open(n.path("mail.polya"), store.Options{ReadOnly: true}))
		whole, counts := sha256.New(), sha256.New()
		harness.Check(errors.Join(db.Dump(ctx, whole, true), db.Dump(ctx, counts, false), db.Close()))
		hash := hex.EncodeToString(whole.Sum(nil))
		if dump = cmp.Or(dump, hash); hash != dump || !bytes.Equal(counts.Sum(nil), truth.Sum(nil)) {
			harness.Failf("node %s has another dump than node %s, or other counts than a database that learned the same by itself", name(i), name(0))
		}
	}
	return dump
}
