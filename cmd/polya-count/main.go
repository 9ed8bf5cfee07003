// Polya-count is 'polya train' for more documents than one machine should count: a runner of
// Apache Beam, by default in its own process, reads and counts them and writes databases, which
// 'polya merge' adds. The result equals that of 'polya train'. See docs/bulk.md.
package main

import (
	"cmp"
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
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c := newCommand()
	err := c.ExecuteContext(ctx)
	stop()
	if err != nil {
		program.Complain(err)
	}
	if err != nil || len(c.failed) > 0 {
		os.Exit(command.Trouble)
	}
}

const long = `Counts the documents at PATH… as 'polya train' does, by a runner of Apache Beam, and writes
databases PREFIX-00000-of-00016.polya and so on, each of a range of ids, and last an empty
one. 'polya --db PREFIX.polya merge PREFIX-*-of-00016.polya' adds them to that.
PREFIX.report says in JSON what was learned, and what was not. Run again what has failed.
PATH and PREFIX may be URLs, as s3://bucket/name, gs://bucket/name and memfs://name, and a
PATH a pattern. A file called .parquet is a table.`

// program says what is wrong as other commands do.
var program = &command.Program{Name: "polya-count", Streams: &terminal.Streams{Stderr: os.Stderr}}

// counter is the command with the values of its flags.
type counter struct {
	*cobra.Command
	training
	documents command.Documents
	verbose   bool
	failed    []string // documents that were not learned
}

// newCommand adds the flags, and Beam's. Flags with the names of flags of 'polya train' mean the same.
func newCommand() *counter {
	c := &counter{training: training{Ledger: count.LedgerFull}}
	c.Command = &cobra.Command{
		Use: "polya-count --out PREFIX [--class CLASS | --folders | --labelled | --tag TAG…] [flags] PATH…", Long: long,
		SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, patterns []string) error {
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(50) // two thirds of the memory, and no more time
			}
			beam.Init()                                          // does not return in a worker
			temporary, err := outfile.TempFolder("polya-count-") // Beam leaves a file in it
			if err == nil {
				err = errors.Join(os.Setenv("TMPDIR", temporary), c.run(cmd.Context(), patterns), os.RemoveAll(temporary))
			}
			return err
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&c.Out, "out", "", "`PREFIX` of the files to make")
	flags.StringVar(&c.Class, "class", "", "learn all documents as `CLASS`")
	flags.BoolVar(&c.Folders, "folders", false, "each folder in a PATH is a class")
	flags.BoolVar(&c.Labelled, "labelled", false, "each document states its class")
	flags.StringArrayVar(&c.TagNames, "tag", nil, "`TAG` of all documents; may be repeated")
	flags.BoolVar(&c.training.Tags, "tags", false, "with --folders and --labelled: the class is a list of tags, separated by commas")
	c.documents.ColumnFlags(c.Command)
	c.documents.WalkFlags(c.Command)
	flags.Func("ledger", "what to keep of each document, `MODE`: full, digest or none (default full)", func(s string) (err error) {
		c.Ledger, err = count.ParseLedger(s)
		return err
	})
	flags.StringVar(&c.Analyzer, "analyzer", "", "`SPEC` of the analyzer, as in \"polya-7 lang=auto\"")
	flags.StringVar(&c.Source, "source", "", "`NAME` of the source that teaches, for 'polya undo --source'")
	flags.BoolVar(&c.Dated, "dated", false, "enter each document in the ledger as learned at its own date")
	flags.IntVar(&c.Shards, "shards", 16, "divide ids in `N` ranges, each of which a worker makes a database of")
	flags.BoolVar(&c.verbose, "verbose", false, "print what Beam logs")
	flags.AddGoFlagSet(flag.CommandLine)
	return c
}

// run counts the documents at paths and writes databases.
func (c *counter) run(ctx context.Context, patterns []string) error {
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
	if !c.verbose {
		log.SetLogger(&log.Standard{Level: log.SevError})
		slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	}
	_, err := beam.Run(ctx, cmp.Or(*runners.Runner, "direct"), counting(&c.training, paths))
	if ctx.Err() != nil {
		return errors.New("interrupted: the databases are not complete")
	}
	if err != nil {
		return err
	}
	if *jobopts.Async {
		fmt.Printf("%s: the runner has begun; %s will say what came of it\n", c.Out, c.reportName())
		return nil
	}
	return c.report(ctx)
}

// check returns an error if the flags contradict each other, or the database is there.
func (c *counter) check(ctx context.Context) (err error) {
	c.documents.Labelled = c.Labelled
	if c.Options, err = c.documents.Walk(program, c.Command); err != nil {
		return errors.Unwrap(err) // there is no page of help that it could name
	}
	c.Attributes, _ = c.Flags().GetStringArray("attr")
	c.Kinds, _ = c.Flags().GetStringArray("kind")
	switch {
	case c.Out == "":
		return errors.New("--out PREFIX names the databases to make")
	case *jobopts.Async && *jobopts.Endpoint == "":
		return errors.New("--async needs a runner that goes on without this process, at --endpoint")
	}
	if err := c.training.check(); err != nil {
		return err
	}
	if !isURL(c.Out) {
		if c.Out, err = filepath.Abs(c.Out); err != nil {
			return err
		}
	}
	if r, err := openFile(ctx, c.targetName()); err == nil {
		r.Close()
		return fmt.Errorf("%s: %w", c.targetName(), fs.ErrExist)
	}
	return nil
}

// report prints what the pipeline has come to, and says how to merge it.
func (c *counter) report(ctx context.Context) error {
	r, err := openFile(ctx, c.reportName())
	if err != nil {
		return fmt.Errorf("the runner has ended without a result: %s: %w", c.reportName(), err)
	}
	defer r.Close()
	var result result
	if err := json.NewDecoder(r).Decode(&result); err != nil {
		return fmt.Errorf("%s: %w", c.reportName(), err)
	}
	for _, note := range result.Notes {
		fmt.Fprint(os.Stderr, note)
	}
	c.failed = result.Errors
	for _, failed := range c.failed {
		program.Complain(errors.New(failed))
	}
	if result.Failed != "" {
		return errors.New(result.Failed)
	}
	fmt.Printf("%s: learned %s, moved %s, already learned %s; polya --db %s merge %s-*-of-%05d.polya\n", c.Out,
		terminal.Grouped(result.Learned), terminal.Grouped(result.Moved), terminal.Grouped(result.Already), c.targetName(), c.Out, c.Shards)
	return nil
}
