package crash

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// livesOfOne is the number of processes that use one file in turn.
const livesOfOne = 50

// kill runs and kills processes, each of which continues with the file of the last, and
// writes a row for each file.
func (o *options) kill(w io.Writer) (total tally) {
	fmt.Fprintf(w, "\nkill -9\n\n| workload | kills | steps acknowledged | left over | lost | doubled | half | damaged |\n|%s\n", strings.Repeat(" --- |", 8))
	for n := 0; total.opened < o.kills; n++ {
		folder, scratch, remove := o.workFolders()
		s := series{model: NewModel(o.planOf(n)), job: Job{Plan: o.planOf(n), Folder: folder, Scratch: scratch}}
		s.run(min(livesOfOne, o.kills-total.opened))
		remove()
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s\n", s.job.Plan, s.opened, s.acked, s.leftOver, s.cells())
		total.add(s.tally)
	}
	return total
}

// series is one file and the processes that used it.
type series struct {
	job   Job
	model *Model

	tally
	acked    int
	leftOver int // files that killed processes did not remove
}

func (s *series) run(lives int) {
	steps := make([]int, s.job.Plan.Trainers)
	for range lives {
		s.job.From = slices.Clone(steps)
		text := s.live()
		harness.Check(s.model.Acks(steps, text))
		s.acked += bytes.Count(text, []byte("\n"))
		s.model.Look(steps)
		reached, err := s.model.Holds(s.job.Folder, steps, false)
		harness.Check(s.see(err))
		if reached == nil {
			return // later results would mean nothing
		}
		steps = reached
		for _, pattern := range []string{"*.compact-*", "*.new-*"} { // of a compaction, a prune or a new file
			for _, name := range harness.Must(filepath.Glob(filepath.Join(s.job.Folder, pattern))) {
				s.leftOver++
				harness.Check(os.Remove(name))
			}
		}
	}
}

// A process is killed after at most so many acknowledgements, and a random time: this
// hits short steps as often as long ones.
const (
	mostAcks  = 40
	mostDelay = 3 * time.Millisecond
	mostLife  = time.Minute
)

// live runs a process, kills it at any moment and returns what it has acknowledged.
func (s *series) live() (text []byte) {
	cmd := s.job.Command()
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	acks := harness.Must(cmd.StdoutPipe())
	harness.Check(cmd.Start())
	hung := time.AfterFunc(mostLife, func() { cmd.Process.Kill() })
	kill := func() { time.AfterFunc(rand.N(mostDelay), func() { cmd.Process.Kill() }) }
	n := rand.IntN(mostAcks)
	if n == 0 {
		kill()
	}
	var err error
	for lines := bufio.NewReader(acks); err == nil; {
		var line []byte
		line, err = lines.ReadBytes('\n')
		text = append(text, line...)
		if n--; n == 0 {
			kill()
		}
	}
	var exit *exec.ExitError
	switch err := cmd.Wait(); {
	case !hung.Stop():
		harness.Failf("%s: it hung", s.job.Plan)
	case !errors.As(err, &exit) || exit.Exited():
		harness.Failf("%s: it ended before it was killed: %w: %.300s", s.job.Plan, err, complaints.Bytes())
	}
	return text
}
