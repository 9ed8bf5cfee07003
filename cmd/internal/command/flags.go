package command

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store"
)

// JSONFlag adds --json.
func (p *Program) JSONFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.JSON, "json", false, "print JSON, one object a line")
}

// Complete lists the values of a flag, which the command must have, to the shell.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// ValueFlag adds a flag whose value parse reads.
func ValueFlag[T any](cmd *cobra.Command, value *T, name string, parse func(string) (T, error), usage string) {
	cmd.Flags().Func(name, usage, func(s string) error {
		x, err := parse(s)
		if err == nil {
			*value = x
		}
		return err
	})
}

// NumberFlag adds a flag for a whole number ≥ least; *value is the default.
func NumberFlag(cmd *cobra.Command, value *int, name, short string, least int, usage string) {
	cmd.Flags().FuncP(name, short, usage, func(s string) error {
		x, err := strconv.Atoi(s)
		if err != nil || x < least {
			return fmt.Errorf("want a whole number, %d or more", least)
		}
		*value = x
		return nil
	})
	cmd.Flags().Lookup(name).DefValue = strconv.Itoa(*value)
}

// Documents are the flags of commands that read documents.
type Documents struct {
	Options      corpus.Options // of a walk
	Labelled     bool           // documents state their classes, so that a table needs a column for them
	attrs, kinds []string
}

// Flags adds all flags but those of columns, and --json.
func (d *Documents) Flags(p *Program, cmd *cobra.Command) {
	d.WalkFlags(cmd)
	p.JSONFlag(cmd)
}

// WalkFlags adds all flags but those of columns.
func (d *Documents) WalkFlags(cmd *cobra.Command) {
	d.FormatFlag(cmd)
	cmd.Flags().BoolVar(&d.Options.Subfolders, "subfolders", false, "read the folders in a Maildir too")
	cmd.Flags().StringArrayVar(&d.Options.Exclude, "exclude", nil, "leave out folders called `NAME`, as in Junk or 'Lists.*'; may be repeated")
	cmd.Flags().BoolVar(&d.Options.FollowLinks, "follow-links", false, "follow links out of a folder too")
	d.AttributeFlags(cmd)
}

// FormatFlag adds --format, which says how documents are read.
func (d *Documents) FormatFlag(cmd *cobra.Command) {
	ValueFlag(cmd, &d.Options.Format, "format", corpus.ParseFormat, "`FORMAT` of the documents: auto, mail, html, text, mbox, maildir,\njsonl, lines or csv")
	cmd.Flags().Lookup("format").DefValue = "auto"
	Complete(cmd, "format", "auto", "mail", "html", "text", "mbox", "maildir", "jsonl", "lines", "csv")
}

// ColumnFlags adds the flags about the columns of a table, which go before those that the
// database keeps.
func (d *Documents) ColumnFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.Options.ClassColumn, "class-column", "", "`COLUMN` of a table, or key of JSON lines, with the class (default\n\"class\", if there is one; '' for none)")
	cmd.Flags().StringArrayVar(&d.Options.TextColumns, "text-column", nil, "`COLUMN` with a text; may be repeated (default \"text\", if there is one;\n'' for none)")
	cmd.Flags().StringVar(&d.Options.IDColumn, "id-column", "", "`COLUMN` with an id (default \"id\", if there is one; '' for none)")
}

// AttributeFlags adds the flags that give documents attributes, or state the kinds of attributes.
func (d *Documents) AttributeFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&d.attrs, "attr", nil, "give every document the attribute `NAME=VALUE`; may be repeated.\n'polya help values' says more")
	d.KindFlag(cmd)
}

// KindFlag adds the flag that states the kinds of attributes.
func (d *Documents) KindFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&d.kinds, "kind", nil, "`NAME=KIND` of an attribute: category, yesno, real or uniform; may be\nrepeated")
}

// Walk turns the flags into options of a walk.
func (d *Documents) Walk(p *Program, cmd *cobra.Command) (o corpus.Options, err error) {
	o = d.Options
	none := func(name, value string) bool { return value == "" && cmd.Flags().Changed(name) }
	o.NoClasses, o.NoTexts, o.NoIDs = none("class-column", o.ClassColumn), slices.Contains(o.TextColumns, ""), none("id-column", o.IDColumn)
	for _, pattern := range o.Exclude {
		if _, bad := path.Match(pattern, ""); bad != nil {
			return o, Misuse(cmd, "--exclude %q: %w", pattern, bad)
		}
	}
	switch o.Stdin, o.Several = p.Stdin, d.Labelled; {
	case d.Labelled && o.NoClasses:
		return o, Misuse(cmd, "--class-column '' reads no classes, and --labelled takes them from there")
	case d.Labelled && o.ClassColumn == "":
		o.ClassColumn = "class"
	}
	return o, nil
}

// Attributes reads the flags about attributes for db, or for a database yet to be made if that is
// nil.
func (d *Documents) Attributes(cmd *cobra.Command, db *store.DB) (*reading.Attributes, error) {
	a, err := reading.NewAttributes(d.kinds, d.attrs)
	if err != nil {
		return nil, Misuse(cmd, "%w", err)
	}
	return a, a.MeetDatabase(db)
}
