// Polya-count is 'polya train' for more documents than one machine should count: a runner of
// Apache Beam, by default one in its own process, reads and counts them and writes a dump, which
// 'polya load' makes a database of. It equals the dump of 'polya train'. See docs/bulk.md.
package main

import (
	"context"
	"encoding/json"
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

	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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
	temporary, err := outfile.TempFolder("polya-count-") // Beam leaves a file in it
	if err == nil {
		err = errors.Join(os.Setenv("TMPDIR", temporary), c.run(ctx, flag.Args()), os.RemoveAll(temporary))
	}
	if err != nil {
		complain(err.Error())
		code = exitTrouble
	}
	if len(c.failed) > 0 {
		code = exitTrouble
	}
	os.Exit(code)
}

func usage() {
	fmt.Fprint(os.Stderr, `Usage: polya-count --out PREFIX [--class CLASS | --folders | --labelled | --tag TAG…] [flags] PATH…

Counts the documents at PATH… as 'polya train' does, by a runner of Apache Beam, and writes
what 'polya dump --ledger' would, in files PREFIX-00000-of-00035 and so on: the end last.
PREFIX.report says in JSON what was learned, and what was not. Run again what has failed.
'polya load --db FILE PREFIX-*' makes a database of them. PATH and PREFIX may be URLs, as
s3://bucket/name, gs://bucket/name and memfs://name, and a PATH a pattern. Flags:

`)
	flag.PrintDefaults()
}

func complain(message string) {
	fmt.Fprintf(os.Stderr, "polya-count: %s\n", strings.ReplaceAll(message, "\n", "; "))
}

// command holds the values of the flags.
type command struct {
	bulk.Training
	out, ledger string
	verbose     bool
	failed      []string // documents that were not learned
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
	flags.StringVar(&c.out, "out", "", "`PREFIX` of the files of the dump")
	flags.StringVar(&c.Class, "class", "", "learn all documents as `CLASS`")
	flags.BoolVar(&c.Folders, "folders", false, "each folder in a PATH is a class")
	flags.BoolVar(&c.Labelled, "labelled", false, "each document states its class")
	flags.Var(list{&c.TagNames}, "tag", "`TAG` of all documents; may be repeated")
	flags.BoolVar(&c.Tags, "tags", false, "with --folders and --labelled: the class is a list of tags, separated by commas")
	flags.StringVar(&c.Format, "format", "auto", "`FORMAT` of the documents: auto, mail, html, http, text, mbox, maildir, jsonl or csv; files named .parquet are tables")
	flags.Var(column{&c.ClassColumn, &c.NoClasses}, "class-column", "`COLUMN` of a table with the class (default \"class\", if there is one; '' for none)")
	flags.Var(column{&c.TextColumn, &c.NoTexts}, "text-column", "`COLUMN` of a table with a text (default \"text\", if there is one; '' for none)")
	flags.Var(column{&c.IDColumn, &c.NoIDs}, "id-column", "`COLUMN` of a table with an id (default \"id\", if there is one; '' for none)")
	flags.BoolVar(&c.Subfolders, "subfolders", false, "read the folders in a Maildir too")
	flags.Var(list{&c.Exclude}, "exclude", "leave out folders called `NAME`, as in Junk or 'Lists.*'; may be repeated")
	flags.BoolVar(&c.FollowLinks, "follow-links", false, "follow links out of a folder too")
	flags.Var(list{&c.Attributes}, "attr", "give every document the attribute `NAME=VALUE`; may be repeated")
	flags.Var(list{&c.Kinds}, "kind", "`NAME=KIND` of an attribute: category, yesno, real or uniform; may be repeated")
	flags.StringVar(&c.ledger, "ledger", "full", "what to keep of each document, `MODE`: full, digest or none")
	flags.StringVar(&c.Analyzer, "analyzer", "", "`SPEC` of the analyzer, as in \"polya-6 lang=auto\"")
	flags.StringVar(&c.Source, "source", "", "`NAME` of the source that teaches, for 'polya undo --source'")
	flags.BoolVar(&c.Dated, "dated", false, "enter each document in the ledger as learned at its own date")
	flags.IntVar(&c.Shards, "shards", 16, "divide ids and terms in `N` ranges, each of which a worker holds in memory")
	flags.BoolVar(&c.verbose, "verbose", false, "print what Beam logs")
	return c
}

// run counts the documents at paths and writes the dump.
func (c *command) run(ctx context.Context, patterns []string) error {
	c.At = time.Now()
	if err := c.check(ctx); err != nil {
		return err
	}
	var paths []string
	for _, pattern := range patterns {
		if pattern == "-" {
			return errors.New("standard input is no path that workers can read")
		}
		found, err := expand(ctx, pattern)
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	if len(paths) == 0 {
		return errors.New("want a path with documents")
	}
	c.logs()
	pipeline, err := counting(&c.Training, paths, c.out)
	if err != nil {
		return err
	}
	if err := execute(ctx, pipeline); err != nil {
		return err
	}
	if *jobopts.Async {
		fmt.Printf("%s: the runner has begun; %s will say what came of it\n", c.out, reportName(c.out))
		return nil
	}
	return c.report(ctx)
}

// check returns an error if the flags contradict each other, or the dump is there.
func (c *command) check(ctx context.Context) (err error) {
	if c.Ledger, err = count.ParseLedger(c.ledger); err != nil {
		return fmt.Errorf("--ledger: %w", err)
	}
	switch {
	case c.out == "":
		return errors.New("--out PREFIX names the dump to make")
	case *jobopts.Async && *jobopts.Endpoint == "":
		return errors.New("--async needs a runner that goes on without this process, at --endpoint")
	}
	if err := c.Training.Check(); err != nil {
		return err
	}
	if !isURL(c.out) {
		if c.out, err = filepath.Abs(c.out); err != nil {
			return err
		}
	}
	if r, err := openFile(ctx, c.End(c.out)); err == nil {
		r.Close()
		return fmt.Errorf("%s: %w", c.End(c.out), fs.ErrExist)
	}
	return nil
}

// report prints what the pipeline has come to, and says how to load it.
func (c *command) report(ctx context.Context) error {
	r, err := openFile(ctx, reportName(c.out))
	if err != nil {
		return fmt.Errorf("the runner has ended without a result: %s: %w", reportName(c.out), err)
	}
	defer r.Close()
	var result bulk.Result
	if err := json.NewDecoder(r).Decode(&result); err != nil {
		return fmt.Errorf("%s: %w", reportName(c.out), err)
	}
	for _, note := range result.Notes {
		fmt.Fprint(os.Stderr, note)
	}
	c.failed = result.Errors
	for _, failed := range c.failed {
		complain(failed)
	}
	if result.Failed != "" {
		return errors.New(result.Failed)
	}
	fmt.Printf("%s: learned %s, moved %s, already learned %s; the dump holds %s of %s; polya load --db FILE %s-*\n", c.out,
		terminal.Grouped(result.Learned), terminal.Grouped(result.Moved), terminal.Grouped(result.Already),
		terminal.Counted(result.Documents, "document", "documents"), terminal.Counted(result.Classes, "class", "classes"), c.out)
	return nil
}

// logs makes Beam log only errors, unless a flag asks for more.
func (c *command) logs() {
	if c.verbose {
		return
	}
	log.SetLogger(&log.Standard{Level: log.SevError})
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
}

// execute runs the pipeline.
func execute(ctx context.Context, p *beam.Pipeline) error {
	runner := *runners.Runner
	if runner == "" {
		runner = "prism"
	}
	_, err := beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		return errors.New("interrupted: there is no whole dump")
	}
	return err
}
