// Polya-count is 'polya train' for more documents than one machine should count: an Apache
// Beam runner, by default one in its own process, reads and counts them, and the result
// becomes a new database. Its counts equal the counts of 'polya train'. See docs/bulk.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/polya-classifier/polya/cmd/polya/bulk"
	"github.com/polya-classifier/polya/store/count"
)

// The exit codes are those of polya.
const (
	exitDone    = 0
	exitTrouble = 3 // a line on standard error says what
)

func main() {
	c := newCommand(flag.CommandLine)
	flag.CommandLine.Init("polya-count", flag.ContinueOnError)
	flag.Usage = usage
	if err := flag.CommandLine.Parse(os.Args[1:]); errors.Is(err, flag.ErrHelp) {
		os.Exit(exitDone)
	} else if err != nil {
		os.Exit(exitTrouble) // the package has said why
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // two thirds of the memory, and no more time
	}
	beam.Init() // does not return in a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := exitDone
	if err := c.run(ctx, flag.Args()); err != nil {
		complain(err.Error())
		code = exitTrouble
	}
	if len(c.failed) > 0 {
		code = exitTrouble
	}
	os.Exit(code)
}

func usage() {
	fmt.Fprint(os.Stderr, `Usage: polya-count --db FILE [--class CLASS | --folders | --labelled] [flags] PATH…

Makes the new database FILE of the documents at PATH…, as 'polya train' does, by a
runner of Apache Beam. A PATH may be a pattern. Flags:

`)
	flag.PrintDefaults()
}

func complain(message string) {
	fmt.Fprintf(os.Stderr, "polya-count: %s\n", strings.ReplaceAll(message, "\n", "; "))
}

// command holds the values of the flags.
type command struct {
	bulk.Training
	db, work, ledger string
	shards           int
	uncalibrated     bool
	verbose          bool
	failed           []string // documents that were not learned
}

// list is the value of a flag that may be repeated.
type list struct{ to *[]string }

// String implements flag.Value.
func (list) String() string { return "" }

// Set implements flag.Value.
func (l list) Set(s string) error {
	*l.to = append(*l.to, s)
	return nil
}

// column is the value of a flag that names a column, an empty one for none.
type column struct {
	name *string
	none *bool
}

// String implements flag.Value.
func (column) String() string { return "" }

// Set implements flag.Value.
func (c column) Set(s string) error {
	*c.name, *c.none = s, s == ""
	return nil
}

// newCommand adds the flags. Flags with the names of flags of 'polya train' mean the same.
func newCommand(flags *flag.FlagSet) *command {
	c := new(command)
	flags.StringVar(&c.db, "db", "", "database `FILE`, which is made")
	flags.StringVar(&c.Class, "class", "", "learn all documents as `CLASS`")
	flags.BoolVar(&c.Folders, "folders", false, "each folder in a PATH is a class")
	flags.BoolVar(&c.Labelled, "labelled", false, "each document states its class")
	flags.Var(list{&c.TagNames}, "tag", "`TAG` of all documents; may be repeated")
	flags.BoolVar(&c.Tags, "tags", false, "with --folders and --labelled: the class is a list of tags, separated by commas")
	flags.StringVar(&c.Format, "format", "auto", "`FORMAT` of the documents: auto, mail, html, http, text, mbox, maildir, jsonl or csv")
	flags.Var(column{&c.ClassColumn, &c.NoClasses}, "class-column", "`COLUMN` of a table with the class (default \"class\", if there is one; '' for none)")
	flags.Var(column{&c.TextColumn, &c.NoTexts}, "text-column", "`COLUMN` of a table with a text (default \"text\", if there is one; '' for none)")
	flags.Var(column{&c.IDColumn, &c.NoIDs}, "id-column", "`COLUMN` of a table with an id (default \"id\", if there is one; '' for none)")
	flags.BoolVar(&c.Subfolders, "subfolders", false, "read the folders in a Maildir too")
	flags.Var(list{&c.Exclude}, "exclude", "leave out folders called `NAME`, as in Junk or 'Lists.*'; may be repeated")
	flags.BoolVar(&c.FollowLinks, "follow-links", false, "follow links out of a folder too")
	flags.Var(list{&c.Attributes}, "attr", "give every document the attribute `NAME=VALUE`, or NAME:KIND=VALUE; may be repeated")
	flags.Var(list{&c.Kinds}, "kind", "`NAME=KIND` of an attribute: category, yesno, real or uniform; may be repeated")
	flags.StringVar(&c.ledger, "ledger", "full", "what to keep of each document, `MODE`: full, digest or none")
	flags.StringVar(&c.Analyzer, "analyzer", "", "`SPEC` of the analyzer, as in \"polya-6 lang=auto\"")
	flags.StringVar(&c.Source, "source", "", "`NAME` of the source that teaches, for 'polya undo --source'")
	flags.BoolVar(&c.Dated, "dated", false, "enter each document in the ledger as learned at its own date")
	flags.BoolVar(&c.uncalibrated, "no-calibrate", false, "fit no models, as a later training, merge or 'polya calibrate' does")
	flags.StringVar(&c.work, "work", "", "`FOLDER` for files that pass from the workers to this process, which all see under this\nname (default one beside FILE)")
	flags.IntVar(&c.shards, "shards", 16, "bring documents together in `N` parts, each of which a worker holds in memory")
	flags.BoolVar(&c.verbose, "verbose", false, "print what Beam logs")
	return c
}

// run counts the documents at paths and makes the database.
func (c *command) run(ctx context.Context, paths []string) (err error) {
	c.At = time.Now()
	if err := c.check(); err != nil {
		return err
	}
	if paths, err = expand(paths); err != nil {
		return err
	}
	if c.work == "" {
		c.work = filepath.Dir(c.db)
	}
	work, err := os.MkdirTemp(c.work, "."+filepath.Base(c.db)+".work-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if work, err = filepath.Abs(work); err != nil {
		return err
	}
	c.logs()
	pipeline, err := counting(&c.Training, paths, c.shards, work)
	if err != nil {
		return err
	}
	if err := execute(ctx, pipeline, work); err != nil {
		return err
	}
	reports, shards, err := readReport(work, len(paths))
	if err != nil {
		return err
	}
	for _, r := range reports {
		for _, note := range r.Notes {
			fmt.Fprint(os.Stderr, note)
		}
		c.failed = append(c.failed, r.Errors...)
	}
	err = bulk.Agree(reports)
	var made *bulk.Made
	if err == nil {
		made, err = c.Make(ctx, c.db, readShards(work, shards), !c.uncalibrated)
	}
	if made != nil {
		c.failed = append(c.failed, made.Errors...)
		fmt.Printf("%s: %s\n", c.db, made.Summary)
		if made.Repeats != "" {
			fmt.Fprintln(os.Stderr, "note:", made.Repeats)
		}
	}
	for _, failed := range c.failed {
		complain(failed)
	}
	return err
}

// check returns an error if the flags contradict each other.
func (c *command) check() (err error) {
	if c.Ledger, err = count.ParseLedger(c.ledger); err != nil {
		return fmt.Errorf("--ledger: %w", err)
	}
	switch {
	case c.db == "":
		return errors.New("--db FILE names the database to make")
	case c.shards < 1:
		return fmt.Errorf("--shards %d: want 1 or more", c.shards)
	case *jobopts.Async:
		return errors.New("--async: the database is made when all is counted, which somebody must wait for")
	}
	if _, err := os.Lstat(c.db); err == nil {
		return fmt.Errorf("%s: %w; 'polya merge' adds one database to another", c.db, fs.ErrExist)
	}
	return c.Training.Check()
}

// expand returns absolute paths with patterns expanded: workers have another working
// directory.
func expand(patterns []string) (paths []string, err error) {
	for _, pattern := range patterns {
		if pattern == "-" {
			return nil, errors.New("standard input is no path that workers can read")
		}
		found, err := filepath.Glob(pattern)
		if _, missing := os.Lstat(pattern); missing == nil || err != nil || len(found) == 0 {
			found = []string{pattern} // a file name, or unreadable
		}
		for _, path := range found {
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("want a path with documents")
	}
	return paths, nil
}

// logs makes Beam log only errors, unless a flag asks for more.
func (c *command) logs() {
	if c.verbose {
		return
	}
	log.SetLogger(&log.Standard{Level: log.SevError})
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
}

// execute runs the pipeline. Beam leaves a file in the folder for temporary files, so that
// folder is work meanwhile.
func execute(ctx context.Context, p *beam.Pipeline, work string) error {
	if err := os.Setenv("TMPDIR", work); err != nil {
		return err
	}
	runner := *runners.Runner
	if runner == "" {
		runner = "prism"
	}
	_, err := beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		return errors.New("interrupted: no database was made")
	}
	return err
}
