package main

import (
	"fmt"
	"io"
	"path"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// formatFlag adds --format, which says how documents are read.
func formatFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "auto", "`FORMAT` of the documents: auto, mail, html, text, mbox, maildir, jsonl\nor csv")
	complete(cmd, "format", "auto", "mail", "html", "text", "mbox", "maildir", "jsonl", "csv")
}

// pathFlags holds the flags that say how documents are read.
type pathFlags struct {
	format, classColumn, textColumn, idColumn string

	subfolders, followLinks bool
	exclude                 []string
}

func (r *pathFlags) flags(cmd *cobra.Command) {
	formatFlag(cmd, &r.format)
	cmd.Flags().StringVar(&r.classColumn, "class-column", "", "`COLUMN` of a table with the class (default \"class\", if there is one;\n'' for none)")
	cmd.Flags().StringVar(&r.textColumn, "text-column", "", "`COLUMN` of a table with a text (default \"text\", if there is one;\n'' for none)")
	cmd.Flags().StringVar(&r.idColumn, "id-column", "", "`COLUMN` of a table with an id (default \"id\", if there is one; ''\nfor none)")
	cmd.Flags().BoolVar(&r.subfolders, "subfolders", false, "read the folders in a Maildir too")
	cmd.Flags().StringArrayVar(&r.exclude, "exclude", nil, "leave out folders called `NAME`, as in Junk or 'Lists.*'; may be repeated")
	cmd.Flags().BoolVar(&r.followLinks, "follow-links", false, "read also what links in a folder lead to outside of it")
}

// options turns the flags into those of a walk. If documents must be labelled, a
// table needs a column for the class.
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

// jobsFlag adds -j.
func jobsFlag(cmd *cobra.Command, jobs *int) {
	*jobs = runtime.GOMAXPROCS(0)
	numberFlag(cmd, jobs, "jobs", "j", 1, "read `N` documents at the same time")
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, json *bool) {
	cmd.Flags().BoolVar(json, "json", false, "print JSON, one object a line")
}

// answering holds the flags of commands that answer.
type answering struct {
	deciding
	model string
	raw   bool
}

func (a *answering) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.model, "model", "auto", "event `MODEL`; 'polya help models' lists them")
	cmd.Flags().BoolVar(&a.raw, "raw", false, "posteriors of the event model as it is, not calibrated")
	complete(cmd, "model", modelNames()...)
	a.deciding.flags(cmd)
}

func modelNames() []string {
	names := []string{"auto"}
	for _, m := range model.Models() {
		names = append(names, m.Name())
	}
	return names
}

// options turns the flags into those of a Classifier.
func (a *answering) options(cmd *cobra.Command) (classify.Options, error) {
	model, err := classify.ParseModel(a.model)
	if err != nil {
		return classify.Options{}, unknownModel(err)
	}
	d, abstain, err := a.decision(cmd)
	return classify.Options{Model: model, Raw: a.raw, Decision: d, Abstain: abstain}, err
}

// unknownModel is an error about the name of an event model.
func unknownModel(err error) error { return fmt.Errorf("%w; see 'polya help models'", err) }

// asking holds the flags of commands that answer from a database of the user's.
type asking struct {
	falsePositives
	answering
	selecting
	screening
}

func (a *asking) flags(p *program, cmd *cobra.Command, is string) {
	a.falsePositives.flags(p, cmd, is)
	a.answering.flags(cmd)
	a.selecting.flags(cmd)
	a.screening.flags(cmd)
}

// open opens the database with what the flags say.
func (a *asking) open(p *program, cmd *cobra.Command) (*classify.Classifier, error) {
	o, err := a.answering.options(cmd)
	if err != nil {
		return nil, err
	}
	if o.Selection, err = a.selection(cmd); err != nil {
		return nil, err
	}
	if err := a.falsePositives.options(cmd, &o); err != nil {
		return nil, err
	}
	if err := readScreening(cmd, &a.screening, &o); err != nil {
		return nil, err
	}
	db, err := p.openRead(o)
	if err != nil {
		return nil, err
	}
	if err = checkDecided(db.Store(), o.Decision); err == nil {
		err = p.noteRate(db, o.Decision)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// readScreening adds what the flags say to o.
func readScreening(cmd *cobra.Command, s *screening, o *classify.Options) error {
	if s.attributes == "" && cmd.Flags().Changed("attr-model") {
		return misuse(cmd, "--attr-model '': want parameters, as in gaussian,alpha=1, or off")
	}
	return s.options(cmd, o)
}

// creating holds the flags of commands that may make a database.
type creating struct {
	ledger   string
	analyzer string
}

func (c *creating) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.ledger, "ledger", "", "what to keep of each document, `MODE`: full, digest or none (default\nwhat the database was made with, full in a new one)")
	cmd.Flags().StringVar(&c.analyzer, "analyzer", "", "`SPEC` of the analyzer of a new database, as in \"polya-3 lang=auto\"; see\n'polya help analyzer'")
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

// parseFormat reads --format.
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
