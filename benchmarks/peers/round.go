//go:build linux

package peers

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// classes are the folders of a corpus, in the order in which they are learned.
var classes = []string{"ham", "spam"}

// peer is a classifier that can be measured: its Debian name, and how it is run.
type peer struct {
	name     string
	programs []string // without which it is left out
	note     string   // for readers of the table

	// train learns documents into the empty directory of the session.
	train func(s *session, docs []harness.Document)
	// classify answers for each document, in order, as cheaply as the peer can.
	classify func(s *session, docs []harness.Document) []harness.Verdict
	// classifyOne and learnOne run a process of their own for one document; nil if it cannot
	// run in this way, or cannot learn after the first training.
	classifyOne, learnOne func(s *session, d harness.Document)
	// serve starts the daemon on the learned data, unless train, which may learn by it, has
	// done so; nil if there is none. ask and tell make one request each.
	serve     func(s *session) *harness.Daemon
	ask, tell func(s *session, d harness.Document)
}

// session is one peer in one round: a directory of its own, which is also its home, and the
// cost of its processes since the last take.
type session struct {
	ctx     context.Context
	root    string // of the corpus, with train and test
	dir     string // database, and nothing else
	home    string // $HOME, configuration and scratch files
	timeout time.Duration
	spent   harness.Cost
	running *harness.Daemon
	tell    string // the address where the daemon learns
}

func (s *session) take() harness.Cost {
	spent := s.spent
	s.spent = harness.Cost{}
	return spent
}

// environment is that of a user with an empty home and the C locale, so that neither this
// machine's settings nor its language change an answer.
func environment(home string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LC_ALL=C.UTF-8", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"}
}

// fill returns the words of a command with the session's folder for HOME.
func (s *session) fill(command string) []string {
	words := strings.Fields(command)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "HOME", s.home)
	}
	return words
}

// run runs a process in the session's home, whose standard input is a file. Exit codes in ok are no
// errors.
func (s *session) run(ok []int, stdin string, argv ...string) string {
	ctx, cancel := context.WithTimeout(s.ctx, s.timeout)
	defer cancel()
	out, spent, err := harness.Run(ctx, s.home, environment(s.home), ok, stdin, argv...)
	s.spent.Add(spent)
	harness.Check(err)
	return string(out)
}

// byDaemon counts the cost of the daemon for what f does.
func (s *session) byDaemon(f func()) {
	before := harness.TreeCost(s.running.PIDs()...)
	f()
	after := harness.TreeCost(s.running.PIDs()...)
	s.spent.Add(harness.Cost{CPU: after.CPU - before.CPU, Memory: after.Memory})
}

// result holds the measurements of a peer over all rounds.
type result struct {
	peer            *peer
	train, classify []float64 // CPU seconds of each round
	memory, size    int64     // bytes
	accuracy        [4]string // of the last round: the same in all, except for random peers
	ask, learn      latency   // by a process each
	served, told    latency   // by the daemon
	absent          string
	failed          error
}

// latency holds the times of single messages in milliseconds.
type latency struct{ cpu, wall []float64 }

type bench struct {
	root        string
	train, test []harness.Document
	sample      int
	timeout     time.Duration
	floor       latency // of a process that does nothing
}

// newSession returns a session in a home of its own, which end removes after its daemon has ended.
func newSession(ctx context.Context, root string, timeout time.Duration) (s *session, end func()) {
	home, remove := harness.Scratch("")
	s = &session{ctx: ctx, root: root, home: home, dir: filepath.Join(home, "database"), timeout: timeout}
	harness.Check(os.Mkdir(s.dir, 0o700))
	return s, func() {
		if s.running != nil {
			s.running.Stop()
		}
		remove()
	}
}

// round measures a peer once. With a floor, it measures only a process that does nothing.
func (b *bench) round(ctx context.Context, r *result, floor *latency) {
	s, end := newSession(ctx, b.root, b.timeout)
	defer end()
	sample := harness.Sampled(b.test, 2*b.sample)
	asked, others := sample[:len(sample)/2], sample[len(sample)/2:] // some peers skip what they have learned
	if floor != nil {
		b.single(s, floor, func(s *session, _ harness.Document) { s.run(nil, "", "true") }, asked)
		return
	}
	r.peer.train(s, b.train)
	trained := s.take()
	r.size = s.databaseSize()
	if r.peer.serve != nil && s.running == nil {
		s.running = r.peer.serve(s)
	}
	s.take()
	answers := r.peer.classify(s, b.test)
	classified := s.take()
	r.train, r.classify = append(r.train, trained.CPU.Seconds()), append(r.classify, classified.CPU.Seconds())
	r.memory = max(r.memory, trained.Memory, classified.Memory)
	r.accuracy = accuracy(answers, b.test)
	b.single(s, &r.ask, r.peer.classifyOne, asked)
	b.single(s, &r.learn, r.peer.learnOne, asked)
	b.single(s, &r.served, r.peer.ask, others)
	b.single(s, &r.told, r.peer.tell, others)
}

// patience bounds the time for single messages in one round: a peer that takes seconds for
// a message gets a smaller sample.
const patience = 15 * time.Second

// single measures one document at a time, by a process, the daemon, or both. The time of a
// daemon is known in hundredths of a second only, so that its share is the mean.
func (b *bench) single(s *session, l *latency, one func(*session, harness.Document), docs []harness.Document) {
	if one == nil {
		return
	}
	n, start, before := 0, time.Now(), harness.Cost{}
	if s.running != nil {
		before = harness.TreeCost(s.running.PIDs()...)
	}
	for ; n < len(docs) && time.Since(start) < patience; n++ {
		s.take()
		began := time.Now()
		one(s, docs[n])
		l.wall = append(l.wall, harness.Milliseconds(time.Since(began)))
		l.cpu = append(l.cpu, harness.Milliseconds(s.take().CPU))
	}
	if s.running != nil {
		share := harness.Milliseconds(harness.TreeCost(s.running.PIDs()...).CPU-before.CPU) / float64(max(n, 1))
		for i := len(l.cpu) - n; i < len(l.cpu); i++ {
			l.cpu[i] += share
		}
	}
}

// databaseSize returns the bytes of the files in the session's database directory,
// without Berkeley DB's shared regions (__db.001 …), which are memory in files.
func (s *session) databaseSize() (sum int64) {
	harness.Check(filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), "__db.") {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	}))
	return sum
}
