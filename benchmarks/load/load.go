//go:build linux

// Package load drives a daemon by spamd's protocol with real mail, a connection a message.
// One half of the corpus is learned, and
// the other asked about. The daemon has its default configuration, and databases of users.
// Client and server share the machine; the tables show the CPU time that others took.
package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// The goals, on two quiet cores.
const (
	longestAnswer = 50 // ms, p99 during a bulk training
	trainingsASec = 200
)

// measurements are all that can be taken, in this order.
var measurements = []struct {
	name string
	take func(context.Context, *bench)
}{
	{"latency", latency}, // of answers at half load: alone, at 200 trainings a second, during a bulk training
	{"clients", clients}, // the same beside idle connections and those that send a byte now and then
}

// bench is the setup of one measurement: a daemon that has learned one half of the corpus.
type bench struct {
	rounds, connections, idle, drips int
	seconds, quiet                   time.Duration

	learned, asked  []harness.Document
	dir             string
	daemon          *harness.Daemon
	answer, teacher target // teacher may teach without a token
}

// Run is the measure.
func Run(ctx context.Context, args []string) {
	var b bench
	f := harness.Flags("load [flags] CORPUS [latency|clients] (both without a name)")
	f.IntVar(&b.rounds, "rounds", 5, "measure each latency `N` times")
	f.IntVar(&b.connections, "connections", 8, "`N` connections at a time where the greatest rate is measured")
	f.DurationVar(&b.seconds, "time", 5*time.Second, "how long each latency is measured each time")
	f.IntVar(&b.idle, "idle", 1000, "idle connections")
	f.IntVar(&b.drips, "drips", 200, "connections that send a byte now and then")
	rest := harness.Parse(f, args, 1, 1+len(measurements))
	b.quiet = 1500 * time.Millisecond
	dir, remove := harness.Scratch("")
	defer remove()
	b.run(ctx, harness.Build(dir, harness.DaemonCommand), dir, harness.Folders(rest[0]), rest[1:])
}

func (b *bench) run(ctx context.Context, program, dir string, docs []harness.Document, names []string) {
	learned, asked := harness.Halves(docs)
	b.learned, b.asked = harness.Shuffled(learned, 1), harness.Shuffled(asked, 1)
	fmt.Printf("Learned %d messages, asked about %d (%.1f MB). Load average %s\n", len(b.learned), len(b.asked), harness.Megabytes(b.asked), harness.Load())
	for _, m := range measurements {
		if slices.Contains(names, m.name) || len(names) == 0 {
			fmt.Printf("\n**%s**\n", m.name)
			b.dir = filepath.Join(dir, m.name)
			b.start(ctx, program)
			err := harness.Try(func() { b.learn(ctx); m.take(ctx, b) })
			b.daemon.Stop()
			harness.Check(err)
		}
	}
}

// start starts the daemon on an empty folder. It is asked over TCP, like its peers, and listens there last.
func (b *bench) start(ctx context.Context, program string) {
	harness.Check(os.Mkdir(b.dir, 0o755))
	address, socket := harness.FreeAddress(), filepath.Join(b.dir, "spamd.sock")
	b.answer, b.teacher = target(address), target(socket)
	b.daemon = harness.Polya(ctx, program, b.dir, address, fmt.Sprintf("[database]\npath = \"polya.db\"\n[[spamd]]\naddress = %q\n[[spamd]]\naddress = %q\n", socket, address))
}

// learn makes the daemon learn, and waits until it has fitted its model.
func (b *bench) learn(ctx context.Context) {
	b.teacher.flood(ctx, requests(b.learned, tell), 32)
	b.settle(ctx)
}

// settle waits until the daemon has nothing to do.
func (b *bench) settle(ctx context.Context) {
	for limit := time.Now().Add(2 * harness.Patience); time.Now().Before(limit); {
		before := harness.TreeCost(b.daemon.PID()).CPU
		pause(ctx, b.quiet)
		harness.Check(ctx.Err())
		if harness.TreeCost(b.daemon.PID()).CPU-before <= b.quiet/30 {
			return
		}
	}
	harness.Failf("the daemon does not come to rest")
}

// fresh returns a message that differs from all others by the number at its end.
func (b *bench) fresh(number int) harness.Document {
	d := b.asked[number%len(b.asked)]
	d.Raw = fmt.Appendf(d.Raw[:len(d.Raw):len(d.Raw)], "\n%d\n", number)
	return d
}

// tell is a request to learn a message.
func tell(d harness.Document) []byte {
	return harness.Request("TELL SPAMC/1.5\r\nMessage-class: "+d.Class+"\r\nSet: local\r\n", d.Raw)
}

// check is a request to classify a message.
func check(d harness.Document) []byte { return harness.Request("CHECK SPAMC/1.5\r\n", d.Raw) }

func requests(docs []harness.Document, request func(harness.Document) []byte) (list [][]byte) {
	for _, d := range docs {
		list = append(list, request(d))
	}
	return list
}
