//go:build linux

// Package load drives a daemon by spamd's protocol with real mail, a connection a message,
// beside the real spamd and rspamd in the same run. One half of the corpus is learned, and
// the other asked about. The daemon has its default configuration, and databases of users.
// Client and server share the machine; the tables show the CPU time that others took.
package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/benchmarks/peers"
)

// The goals, on two quiet cores.
const (
	timesSpamd     = 50   // messages a CPU second
	timesRspamd    = 8    // likewise
	messagesASec   = 3000 // wall
	longestAnswer  = 50   // ms, p99 during a bulk training
	trainingsASec  = 200
	openDatabases  = 50
	flatPercentage = 10 // allowed increase at the end of a soak
)

// measurements are all that can be taken, in this order.
var measurements = []struct {
	name string
	take func(context.Context, *bench)
}{
	{"speed", speed},     // messages a CPU second and a wall second, by turns with spamd and rspamd
	{"latency", latency}, // of answers at half load: alone, at 200 trainings a second, during a bulk training
	{"clients", clients}, // the same beside idle connections and those that send a byte now and then
	{"users", users},     // databases of users, of which 50 are open
	{"soak", soak},       // memory, descriptors and goroutines over the minutes of -soak
}

// bench is the setup of one measurement: a daemon that has learned one half of the corpus.
type bench struct {
	rounds, connections, sample, users, idle, drips int
	seconds, soak, quiet                            time.Duration
	peers                                           string

	learned, asked  []harness.Document
	dir             string
	daemon          *harness.Daemon
	answer, teacher target // teacher may teach without a token
}

// Run is the measure.
func Run(ctx context.Context, args []string) {
	var b bench
	f := harness.Flags("load [flags] CORPUS [speed|latency|clients|users|soak…] (all but the soak without a name)")
	polya := f.String("polya", "", "`PATH` of the daemon's program; without it, it is built")
	f.IntVar(&b.rounds, "rounds", 5, "measure speed and each latency `N` times")
	f.IntVar(&b.connections, "connections", 8, "`N` connections at a time where speed is measured")
	f.IntVar(&b.sample, "sample", 300, "ask spamd about `N` messages a round, rspamd about 4 times as many")
	f.DurationVar(&b.seconds, "time", 5*time.Second, "how long each latency is measured each time")
	f.DurationVar(&b.soak, "soak", time.Hour, "how long the soak lasts")
	f.IntVar(&b.users, "users", 1000, "users with databases")
	f.IntVar(&b.idle, "idle", 1000, "idle connections")
	f.IntVar(&b.drips, "drips", 200, "connections that send a byte now and then")
	f.StringVar(&b.peers, "peers", "spamd,rspamd", "measure these too, where they are installed")
	rest := harness.Parse(f, args, 1, 1+len(measurements))
	b.quiet = 1500 * time.Millisecond
	dir, remove := harness.Scratch("")
	defer remove()
	harness.Check(os.Chmod(dir, 0o755)) // spamd runs as nobody
	b.run(ctx, harness.Build(*polya, dir, harness.DaemonCommand, nil, "-pgo=auto"), dir, harness.Folders(rest[0]), rest[1:])
}

func (b *bench) run(ctx context.Context, program, dir string, docs []harness.Document, names []string) {
	learned, asked := harness.Halves(docs)
	b.learned, b.asked = harness.Shuffled(learned, 1), harness.Shuffled(asked, 1)
	fmt.Printf("Learned %d messages, asked about %d (%.1f MB). Load average %s\n", len(b.learned), len(b.asked), harness.Megabytes(b.asked), harness.Load())
	for _, m := range measurements {
		if slices.Contains(names, m.name) || len(names) == 0 && m.name != "soak" {
			fmt.Printf("\n**%s**\n", m.name)
			b.dir = filepath.Join(dir, m.name)
			b.start(ctx, program)
			err := harness.Try(func() { b.learn(ctx); m.take(ctx, b) })
			b.daemon.Stop()
			harness.Check(err)
		}
	}
}

// configuration is the daemon's, in DIR, with defaults where possible.
const configuration = `[database]
path = "polya.db"
[users]
path = "users/%u.polya"
pattern = "user[0-9]+"
[[spamd]]
address = "ADDRESS"
[[spamd]]
address = "DIR/spamd.sock"
[[http]]
address = "DIR/http.sock"
`

// start starts the daemon on an empty folder. It is asked over TCP, like its peers.
func (b *bench) start(ctx context.Context, program string) {
	harness.Check(os.Mkdir(b.dir, 0o755))
	b.answer = target{harness.FreeAddress(), "SPAMD/1.1 0 EX_OK", true}
	b.teacher = target{filepath.Join(b.dir, "spamd.sock"), b.answer.ok, true}
	b.daemon = harness.Polya(ctx, program, b.dir, b.answer.address, strings.NewReplacer("DIR", b.dir, "ADDRESS", b.answer.address).Replace(configuration))
}

// learn makes the daemon learn, and waits until it has fitted its model.
func (b *bench) learn(ctx context.Context) {
	b.teacher.flood(ctx, requests(b.learned, func(d harness.Document) []byte { return tell(d, "", "Set") }), 32)
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

// check is a request to classify a message for a user, "" for nobody.
func check(d harness.Document, user string) []byte {
	return harness.Request("CHECK SPAMC/1.5\r\n"+header("User", user), d.Raw)
}

// tell is a request to learn a message, or with the verb Remove to forget it.
func tell(d harness.Document, user, verb string) []byte {
	class := ""
	if verb == "Set" {
		class = d.Class
	}
	return harness.Request("TELL SPAMC/1.5\r\n"+header("User", user)+header("Message-class", class)+verb+": local\r\n", d.Raw)
}

func header(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + value + "\r\n"
}

func requests(docs []harness.Document, request func(harness.Document) []byte) (list [][]byte) {
	for _, d := range docs {
		list = append(list, request(d))
	}
	return list
}

func checks(docs []harness.Document) [][]byte {
	return requests(docs, func(d harness.Document) []byte { return check(d, "") })
}

// contender is asked in each round.
type contender struct {
	name              string
	target            target
	daemon            *harness.Daemon
	docs              []harness.Document
	requests          [][]byte
	spam              string // in the answer for spam
	wrong             float64
	aCPU, aWall, busy []float64
}

// speed makes the daemon and its peers answer in turns.
func speed(ctx context.Context, b *bench) {
	list := []*contender{{name: "polya", target: b.answer, daemon: b.daemon, docs: b.asked, requests: checks(b.asked), spam: "Spam: True"}}
	for _, p := range []struct {
		name, programs, spam string
		sample               int
		start                func(home string) (*harness.Daemon, target)
		request              func(harness.Document) []byte
	}{
		{"spamd", "spamd sa-learn", "Spam: True", b.sample, b.spamd(ctx), func(d harness.Document) []byte { return check(d, "") }},
		{"rspamd", "rspamd redis-server", `"BAYES_SPAM"`, 4 * b.sample, b.rspamd(ctx), peers.RspamdAsk},
	} {
		missing := slices.ContainsFunc(strings.Fields(p.programs), func(program string) bool { _, err := exec.LookPath(program); return err != nil })
		if !slices.Contains(strings.Split(b.peers, ","), p.name) || missing {
			fmt.Printf("%s is left out: not asked for, or not installed\n", p.name)
			continue
		}
		home := filepath.Join(b.dir, p.name)
		harness.Check(os.Mkdir(home, 0o755))
		d, t := p.start(home)
		defer d.Stop()
		docs := harness.Sampled(b.asked, p.sample)
		list = append(list, &contender{name: p.name, target: t, daemon: d, docs: docs, requests: requests(docs, p.request), spam: p.spam})
	}
	for _, c := range list { // fills caches, and forks processes that start on demand
		c.wrong = c.target.wrong(ctx, c.docs, c.requests, c.spam)
	}
	list[0].requests = slices.Repeat(list[0].requests, 3) // clocks of processes tick in hundredths of a second
	for range b.rounds {
		for _, c := range list {
			s := watch(c.daemon)
			c.target.flood(ctx, c.requests, b.connections)
			s.end()
			n := float64(len(c.requests))
			c.aCPU, c.aWall, c.busy = append(c.aCPU, n/s.spent.Seconds()), append(c.aWall, n/s.wall.Seconds()), append(c.busy, s.others)
		}
	}
	fmt.Printf("%d connections at a time, medians of %d rounds, fewest and most of them; load average %s\n", b.connections, b.rounds, harness.Load())
	harness.Head("server", "messages a round", "wrong %", "a CPU second", "a wall second", "others had of the machine %", "CPU, times polya")
	best := harness.Median(list[0].aCPU)
	for _, c := range list {
		harness.Row(c.name, len(c.requests), harness.Number(100*c.wrong, 1), spread(c.aCPU, 0), spread(c.aWall, 0), harness.Number(100*harness.Median(c.busy), 0), harness.Number(best/harness.Median(c.aCPU), 1))
	}
	goal("messages a wall second", harness.Median(list[0].aWall), messagesASec, true)
	for _, c := range list[1:] {
		goal("messages a CPU second, times "+c.name, best/harness.Median(c.aCPU), map[string]float64{"spamd": timesSpamd, "rspamd": timesRspamd}[c.name], true)
	}
}

func (b *bench) spamd(ctx context.Context) func(string) (*harness.Daemon, target) {
	return func(home string) (*harness.Daemon, target) {
		dir := filepath.Join(home, "db")
		harness.Check(os.Mkdir(dir, 0o755))
		peers.TrainSpamAssassin(home, dir, b.learned, func(argv ...string) {
			_, _, _, err := harness.Command{Argv: argv, Env: append(os.Environ(), "HOME="+home)}.Run(ctx)
			harness.Check(err)
		})
		d := peers.StartSpamd(ctx, home, "2")
		return d, target{d.Address, b.answer.ok, true}
	}
}

func (b *bench) rspamd(ctx context.Context) func(string) (*harness.Daemon, target) {
	return func(home string) (*harness.Daemon, target) {
		d, teach := peers.StartRspamd(ctx, home, home)
		teacher := target{teach, "HTTP/1.1 20", false} // 204 is too short to learn, 208 known
		teacher.flood(ctx, requests(b.learned, peers.RspamdTell), 1)
		return d, target{d.Address, "HTTP/1.1 200", false}
	}
}

// wrong asks about messages and returns the share of wrong replies: spam for ham, or not
// spam for spam.
func (t target) wrong(ctx context.Context, docs []harness.Document, requests [][]byte, spam string) float64 {
	wrong := 0
	for i, r := range requests {
		harness.Check(ctx.Err())
		if bytes.Contains(harness.Must(t.ask(r)), []byte(spam)) != (docs[i].Class == "spam") {
			wrong++
		}
	}
	return float64(wrong) / float64(len(requests))
}

func spread(x []float64, decimals int) string {
	return fmt.Sprintf("%s (%s to %s)", harness.Number(harness.Median(x), decimals), harness.Number(slices.Min(x), decimals), harness.Number(slices.Max(x), decimals))
}

func goal(what string, figure, goal float64, atLeast bool) {
	verdict := "reached"
	if figure < goal == atLeast && figure != goal {
		verdict = "NOT REACHED"
	}
	fmt.Printf("\nGoal: %s: %.1f, wanted %.0f: %s\n", what, figure, goal, verdict)
}
