//go:build linux

// Load drives a daemon by spamd's protocol with real mail, beside the real spamd and
// rspamd in the same run:
//
//	go run ./benchmarks/load [flags] CORPUS [MEASUREMENT…]
//
// CORPUS has the folders ham and spam, a message a file. One half of it is learned, by
// the names (protocol halves of benchmarks/accuracy/corpora.py), and the other asked about. The measurements are
//
//	speed     messages a CPU second of the server and a wall second, by turns with spamd and rspamd
//	latency   how long answers take at half load: alone, at 200 trainings a second, during a bulk training
//	clients   the same beside 1,000 idle connections and 200 that send a byte now and then
//	users     1,000 users' databases of which 50 are open
//	soak      memory, descriptors and goroutines over the minutes of -soak
//
// and all but the soak without a name. The daemon is polya serve with the default
// configuration, and databases of users. Client and server share the machine; the tables
// show the CPU time that other processes took.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

type options struct {
	polya       string
	rounds      int
	connections int
	sample      int
	seconds     time.Duration
	soak        time.Duration
	users       int
	idle, drips int
	peers       string
	profile     string
	quiet       time.Duration // without work, the daemon is at rest
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 3 && os.Args[1] == hidden {
		if err := serve(os.Args[2], os.Args[3]); err != nil {
			log.Fatal(err)
		}
		return
	}
	o := options{quiet: 1500 * time.Millisecond}
	flag.StringVar(&o.polya, "polya", "", "`PATH` of the command polya; without it, it is built")
	flag.IntVar(&o.rounds, "rounds", 5, "measure speed and each latency `N` times")
	flag.IntVar(&o.connections, "connections", 8, "`N` connections at a time where speed is measured")
	flag.IntVar(&o.sample, "sample", 300, "ask spamd about `N` messages a round, rspamd about 4 times as many")
	flag.DurationVar(&o.seconds, "time", 5*time.Second, "how long each latency is measured each time")
	flag.DurationVar(&o.soak, "soak", time.Hour, "how long the soak lasts")
	flag.IntVar(&o.users, "users", 1000, "users with databases")
	flag.IntVar(&o.idle, "idle", 1000, "idle connections")
	flag.IntVar(&o.drips, "drips", 200, "connections that send a byte now and then")
	flag.StringVar(&o.peers, "peers", "spamd,rspamd", "measure these too, where they are installed")
	flag.StringVar(&o.profile, "profile", "", "write profiles to `PREFIX`.MEASUREMENT of a daemon in a process of this program")
	flag.Parse()
	if flag.NArg() < 1 {
		log.Fatal("usage: load [flags] CORPUS [speed | latency | clients | users | soak]…")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	c, err := read(flag.Arg(0))
	if err == nil {
		err = run(ctx, &o, c, flag.Args()[1:])
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		stop()
		log.Fatal(err)
	}
}

type measurement struct {
	name string
	take func(context.Context, *bench) error
}

var measurements = []measurement{{"speed", speed}, {"latency", latency}, {"clients", clients}, {"users", users}, {"soak", soak}}

// run takes the named measurements, in the order of the list above.
func run(ctx context.Context, o *options, c *corpus, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(measurements, func(m measurement) bool { return m.name == name }) {
			return fmt.Errorf("there is no measurement %q", name)
		}
	}
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // spamd runs as nobody
		return err
	}
	if o.polya == "" && o.profile == "" {
		if o.polya, err = build(ctx, dir); err != nil {
			return err
		}
	}
	b := &bench{options: o, corpus: c, dir: dir}
	fmt.Printf("Learned %d messages, asked about %d (%.1f MB). Load average %s\n", len(c.learned), len(c.asked), c.megabytes(), loadAverage())
	for _, m := range measurements {
		if !slices.Contains(names, m.name) && (len(names) > 0 || m.name == "soak") {
			continue
		}
		if err := b.with(ctx, m.name, m.take); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// A bench is the setup of one measurement: a daemon that has learned one half of the
// corpus.
type bench struct {
	*options
	corpus *corpus
	dir    string
	server *server
	rate   float64 // messages a wall second, once measured
}

// with takes one measurement of a new daemon.
func (b *bench) with(ctx context.Context, name string, measure func(context.Context, *bench) error) (err error) {
	if b.server, err = start(ctx, b.options, b.dir+"/"+name); err != nil {
		return err
	}
	defer b.server.stop()
	if err := b.learn(ctx); err != nil {
		return err
	}
	if b.profile != "" {
		defer b.server.record(b.profile + "." + name)()
	}
	fmt.Printf("\n**%s**\n\n", name)
	return measure(ctx, b)
}

// learn makes the daemon learn, and waits until it has fitted its model.
func (b *bench) learn(ctx context.Context) error {
	requests := requests(b.corpus.learned, func(m message) []byte { return m.tell("", "Set") })
	if _, err := b.server.teacher.flood(ctx, requests, 32); err != nil {
		return err
	}
	return b.settle(ctx)
}

// settle waits until the daemon has nothing to do.
func (b *bench) settle(ctx context.Context) error {
	for limit := time.Now().Add(2 * patience); time.Now().Before(limit); {
		before := cpu(b.server.pid())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(b.quiet):
		}
		if cpu(b.server.pid())-before <= b.quiet/30 {
			return nil
		}
	}
	return errors.New("the daemon does not come to rest")
}
