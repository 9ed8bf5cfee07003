// Filter measures the cost of a command for one message: polya with its daemon and
// without, and bogofilter, each a process per message, in turns. Learning commands get
// another message each time.
//
//	go run ./benchmarks/filter [--runs N] CORPUS MESSAGE…
//
// CORPUS is a folder with the folders ham and spam, a message a file, which both learn. It
// prints the CPU time of a process, user and system, and of the daemon beside it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// learning is the index of the first command that learns.
const learning = 7

func main() {
	runs := flag.Int("runs", 200, "`N` runs of each")
	flag.Parse()
	if flag.NArg() < 2 {
		log.Fatal("usage: filter [--runs N] CORPUS MESSAGE…")
	}
	dir, err := os.MkdirTemp("", "filter")
	check(err)
	defer os.RemoveAll(dir)
	polya, database, words := filepath.Join(dir, "polya"), filepath.Join(dir, "mail.polya"), filepath.Join(dir, "words")
	build := exec.Command("go", "build", "-o", polya, "./cmd/polya")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	run(build, nil)
	corpus := flag.Arg(0)
	run(exec.Command(polya, "--db", database, "train", "--folders", corpus), nil)
	check(os.Mkdir(words, 0o700))
	run(exec.Command("bogofilter", "-d", words, "-s", "-b"), list(filepath.Join(corpus, "spam")))
	run(exec.Command("bogofilter", "-d", words, "-n", "-b"), list(filepath.Join(corpus, "ham")))

	daemon := serve(polya, database)
	defer func() {
		daemon.Process.Signal(syscall.SIGTERM)
		daemon.Wait()
	}()
	alone := filepath.Join(dir, "alone.polya")
	run(exec.Command(polya, "--db", database, "backup", "-f", alone), nil)
	commands := [][]string{
		{polya, "--db", database, "filter"},
		{polya, "--db", database, "filter", "--bogofilter", "-pe"},
		{"bogofilter", "-d", words, "-p", "-e"},
		{polya, "--db", alone, "filter"},
		{polya, "--db", database, "classify", "-"},
		{"bogofilter", "-d", words, "-T"},
		{polya, "--db", alone, "classify", "-"},
		{polya, "--db", database, "train", "spam", "-"},
		{"bogofilter", "-d", words, "-s"},
		{polya, "--db", alone, "train", "spam", "-"},
	}
	names := []string{"polya filter, by the daemon", "polya filter --bogofilter, by the daemon", "bogofilter -p", "polya filter, by itself",
		"polya classify, by the daemon", "bogofilter -T", "polya classify, by itself",
		"polya train, by the daemon", "bogofilter -s", "polya train, by itself"}
	for _, message := range flag.Args()[1:] {
		content, err := os.ReadFile(message)
		check(err)
		times, beside := make([][]time.Duration, len(commands)), make([]time.Duration, len(commands))
		for n := range *runs {
			for i, c := range commands {
				input := content
				if i >= learning {
					input = fmt.Appendf(nil, "Message-ID: <%s.%d@example.org>\n%s\nnumber%d\n", filepath.Base(message), n, content, n)
				}
				before := busy(daemon.Process.Pid)
				times[i] = append(times[i], run(exec.Command(c[0], c[1:]...), input))
				beside[i] += busy(daemon.Process.Pid) - before
			}
		}
		fmt.Printf("%s, %d bytes; CPU ms, median of %d\n", filepath.Base(message), len(content), *runs)
		for i, name := range names {
			slices.Sort(times[i])
			fmt.Printf("%8.2f  and %.2f of the daemon  %s\n", ms(times[i][*runs/2]), ms(beside[i])/float64(*runs), name)
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run runs a command and returns its CPU time.
func run(c *exec.Cmd, input []byte) time.Duration {
	c.Stdin, c.Stderr = bytes.NewReader(input), os.Stderr
	if err := c.Run(); err != nil && (c.ProcessState == nil || c.ProcessState.ExitCode() > 2) { // bogofilter answers by it
		log.Fatalf("%q: %v", c.Args, err)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// list lists the files in a folder, a line each.
func list(dir string) []byte {
	var b bytes.Buffer
	check(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			b.WriteString(path + "\n")
		}
		return err
	}))
	return b.Bytes()
}

// serve starts a daemon and waits for its control socket.
func serve(polya, database string) *exec.Cmd {
	config := database + ".toml"
	check(os.WriteFile(config, fmt.Appendf(nil, "[database]\npath = %q\n[[spamd]]\naddress = %q\n", database, database+".spamd"), 0o600))
	c := exec.Command(polya, "serve", config)
	check(c.Start())
	for range 1000 {
		if conn, err := net.Dial("unix", database+".sock"); err == nil {
			conn.Close()
			return c
		}
		time.Sleep(10 * time.Millisecond)
	}
	log.Fatal("the daemon does not start")
	return nil
}

// busy returns the CPU time of a process so far, in the system's hundredths of a second.
func busy(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	var state string
	var n [10]int
	var user, system int
	_, err = fmt.Sscan(rest, &state, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &user, &system)
	check(err)
	return time.Duration(user+system) * 10 * time.Millisecond
}
