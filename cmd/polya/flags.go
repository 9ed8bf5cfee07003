package main

import (
	"fmt"
	"io"
	"math"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// formatFlag adds --format, which says how documents are read.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "auto", "`FORMAT` of the documents: auto, mail, html, text, mbox, maildir,\njsonl, lines or csv")
	complete(cmd, "format", "auto", "mail", "html", "text", "mbox", "maildir", "jsonl", "lines", "csv")
}

// pathFlags holds the flags that say how documents are read.
type pathFlags struct {
	format, classColumn, textColumn, idColumn string

	subfolders, followLinks bool
	exclude                 []string
}

func (r *pathFlags) flags(cmd *cobra.Command) {
	formatFlag(cmd, &r.format)
	cmd.Flags().BoolVar(&r.subfolders, "subfolders", false, "read the folders in a Maildir too")
	repeatedFlag(cmd, &r.exclude, "exclude", "leave out folders called `NAME`, as in Junk or 'Lists.*'; may be repeated")
	cmd.Flags().BoolVar(&r.followLinks, "follow-links", false, "follow links out of a folder too")
}

// columnFlags adds the flags about the columns of a table, which go before those that the
// database keeps.
func (r *pathFlags) columnFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.classColumn, "class-column", "", "`COLUMN` of a table, or key of JSON lines, with the class (default\n\"class\", if there is one; '' for none)")
	cmd.Flags().StringVar(&r.textColumn, "text-column", "", "`COLUMN` with a text (default \"text\", if there is one; '' for none)")
	cmd.Flags().StringVar(&r.idColumn, "id-column", "", "`COLUMN` with an id (default \"id\", if there is one; '' for none)")
}

// options turns the flags into options of a walk. If documents must be labelled, a table
// needs a column for the class.
func (r *pathFlags) options(cmd *cobra.Command, stdin io.Reader, labelled bool) (corpus.Options, error) {
	format, err := parseFormat(cmd, r.format)
	o := corpus.Options{
		Format: format, Stdin: stdin, Several: labelled,
		Subfolders: r.subfolders, Exclude: r.exclude, FollowLinks: r.followLinks,
		ClassColumn: r.classColumn, TextColumn: r.textColumn, IDColumn: r.idColumn,
	}
	none := func(name, value string) bool { return value == "" && cmd.Flags().Changed(name) }
	o.NoClasses, o.NoTexts, o.NoIDs = none("class-column", r.classColumn), none("text-column", r.textColumn), none("id-column", r.idColumn)
	for _, pattern := range r.exclude {
		if _, bad := path.Match(pattern, ""); bad != nil {
			return o, misuse(cmd, "--exclude %q: %w", pattern, bad)
		}
	}
	switch {
	case err != nil:
		return o, err
	case labelled && o.NoClasses:
		return o, misuse(cmd, "--class-column '' reads no classes, and --labelled takes them from there")
	case labelled && o.ClassColumn == "":
		o.ClassColumn = "class"
	}
	return o, nil
}

// documentFlags holds the flags of commands that read documents.
type documentFlags struct {
	pathFlags
	attributeFlags
	jobs int
}

// flags adds the flags, and --json.
func (f *documentFlags) flags(p *program, cmd *cobra.Command) {
	f.pathFlags.flags(cmd)
	f.attributeFlags.flags(cmd)
	f.jobs = runtime.GOMAXPROCS(0)
	numberFlag(cmd, &f.jobs, "jobs", "j", 1, "read `N` documents at the same time")
	cmd.Flags().Lookup("jobs").DefValue = "one a processor" // help is the same on every machine
	jsonFlag(p, cmd)
}

func jsonFlag(p *program, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.JSON, "json", false, "print JSON, one object a line")
}

// creating holds the flags of commands that may make a database.
type creating struct {
	ledger   string
	analyzer string
}

func (c *creating) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.ledger, "ledger", "", "what to keep of each document, `MODE`: full, digest or none (default\nwhat the database was made with, full in a new one)")
	cmd.Flags().StringVar(&c.analyzer, "analyzer", "", "`SPEC` of the analyzer of a new database, as in \"polya-6 lang=auto\"; see\n'polya help analyzer'")
	complete(cmd, "ledger", "full", "digest", "none")
}

func (c *creating) options(cmd *cobra.Command) (classify.Options, error) {
	o := classify.Options{Analyzer: c.analyzer}
	if c.ledger != "" {
		ledger, err := count.ParseLedger(c.ledger)
		if err != nil {
			return o, misuse(cmd, "no ledger mode is called %q: want full, digest or none", c.ledger)
		}
		o.Store.Ledger = ledger
	}
	if c.analyzer != "" {
		if _, err := tokenize.New(c.analyzer); err != nil {
			return o, fmt.Errorf("--analyzer: %w; see 'polya help analyzer'", err)
		}
	}
	return o, nil
}

func parseFormat(cmd *cobra.Command, name string) (corpus.Format, error) {
	format, err := corpus.ParseFormat(name)
	if err != nil {
		return format, misuse(cmd, "%w", err)
	}
	return format, nil
}

// complete lists the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(fmt.Sprintf("polya: flag %s: %v", flag, err))
	}
}

// attributeFlags holds the flags that give documents attributes, or state the kinds of
// attributes.
type attributeFlags struct {
	attrs []string
	kinds []string
}

func (f *attributeFlags) flags(cmd *cobra.Command) {
	repeatedFlag(cmd, &f.attrs, "attr", "give every document the attribute `NAME=VALUE`; may be repeated.\n'polya help values' says more")
	f.kindFlag(cmd)
}

func (f *attributeFlags) kindFlag(cmd *cobra.Command) {
	repeatedFlag(cmd, &f.kinds, "kind", "`NAME=KIND` of an attribute: category, yesno, real or uniform; may be\nrepeated")
}

// read reads the flags for db, or for a database yet to be made if that is nil.
func (f *attributeFlags) read(cmd *cobra.Command, db *store.DB) (*reading.Attributes, error) {
	a, err := reading.NewAttributes(f.kinds, f.attrs)
	if err != nil {
		return nil, misuse(cmd, "%w", err)
	}
	return a, a.MeetDatabase(db)
}

// atLeast is the value of a flag that takes a whole number ≥ least.
type atLeast struct {
	value *int
	least int
}

// numberFlag adds a flag for a whole number ≥ least; *value is the default.
func numberFlag(cmd *cobra.Command, value *int, name, short string, least int, usage string) {
	cmd.Flags().VarP(atLeast{value, least}, name, short, usage)
}

// Set implements pflag.Value.
func (n atLeast) Set(s string) error {
	x, err := strconv.Atoi(s)
	if err != nil || x < n.least {
		return fmt.Errorf("want %s", n.Type())
	}
	*n.value = x
	return nil
}

func (n atLeast) String() string { return strconv.Itoa(*n.value) }

// Type says what the flag takes.
func (n atLeast) Type() string { return fmt.Sprintf("a whole number, %d or more", n.least) }

// repeated is the value of a flag that may be given several times. Pflag's own writes its
// default as CSV, which takes memory at every start.
type repeated struct{ list *[]string }

// repeatedFlag adds a flag that may be given several times.
func repeatedFlag(cmd *cobra.Command, list *[]string, name, usage string) {
	cmd.Flags().Var(repeated{list}, name, usage)
}

// Set implements pflag.Value.
func (r repeated) Set(s string) error { *r.list = append(*r.list, s); return nil }

func (r repeated) String() string { return strings.Join(*r.list, ",") }

// Type says what the flag takes.
func (r repeated) Type() string { return "text" }

// completionTimeout is how long the Tab key may wait for a database in use.
const completionTimeout = 200 * time.Millisecond

// completeClasses lists the classes to the shell. Without a database there are none.
func (p *program) completeClasses() []string {
	path, err := p.Path()
	if err != nil {
		return nil
	}
	db, err := store.Open(path, store.Options{ReadOnly: true, Timeout: completionTimeout})
	if err != nil {
		return nil
	}
	defer db.Close()
	var names []string
	for _, c := range statistics.Classes(db) {
		names = append(names, c.Name)
	}
	return names
}

// classArguments completes the first arguments as classes, and later ones as then says.
func (p *program) classArguments(first int, then cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= first {
			return nil, then
		}
		return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeClassFlag completes the value of a flag as a class.
func (p *program) completeClassFlag(cmd *cobra.Command, flag string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, p.classArguments(math.MaxInt, cobra.ShellCompDirectiveNoFileComp))
}

// momentFlag returns the time that a flag names, the zero time if it was not given.
func momentFlag(cmd *cobra.Command, name string) (time.Time, error) {
	flag := cmd.Flags().Lookup(name)
	if !flag.Changed {
		return time.Time{}, nil
	}
	t, ok := parseMoment(flag.Value.String(), time.Now())
	if !ok {
		return t, misuse(cmd, "--%s %q is no time: want one as 2026-07-31, 2026-07-31T18:00:00Z, 90m or 180d", name, flag.Value)
	}
	return t, nil
}

// parseMoment reads a time, or a duration before now.
func parseMoment(s string, now time.Time) (t time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, true
		}
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), true
		}
	}
	d, err := time.ParseDuration(s)
	return now.Add(-d), err == nil && d >= 0
}
