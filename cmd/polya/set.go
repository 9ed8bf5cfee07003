package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
)

func setCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "set [NAME [VALUE…]]",
		Short: "keep in the database how it is to be used",
		Example: `    polya set                          print the settings
    polya set is spam                  ask 'spam or not', as classify --is spam
    polya set threshold 90%
    polya set cost 'ham>spam=20' unsure=0.2
    polya set text-column body title
    polya set threshold ''             take a setting back`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.set(cmd, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return setting.Names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (p *program) set(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return p.read(func(c *classify.Classifier) error { return statistics.PrintSettings(p.Streams, c.Settings()) })
	case 1:
		return command.Misuse(cmd, "set needs a value for %s; '' takes the setting back", args[0])
	}
	name, value := args[0], strings.Join(args[1:], "\n")
	if !slices.Contains(setting.Names, name) {
		return command.Misuse(cmd, "there is no setting %.40q%s: want one of %s", name, spelling.Meant(name, setting.Names), strings.Join(setting.Names, ", "))
	}
	if len(args) > 2 && name != setting.Cost && !strings.HasSuffix(name, "-column") {
		return command.Misuse(cmd, "%s has one value, not %d", name, len(args)-1)
	}
	if name == setting.Format && value != "" {
		if _, err := corpus.ParseFormat(value); err != nil {
			return command.Misuse(cmd, "%w", err)
		}
	}
	return p.change(func(c *classify.Classifier) error { return keep(c.Store(), name, value) })
}

// keep changes a setting of the database, whose classes must be those that the settings name.
func keep(db *store.DB, name, value string) error {
	kept, err := setting.Of(db)
	if err != nil {
		return err
	}
	kept[name] = value
	d, _, err := kept.Decide()
	if err != nil {
		return fmt.Errorf("%s: %w", db.Path(), err)
	}
	if !db.Tags() {
		if err := checkDecided(db, d); err != nil {
			return err
		}
	}
	return setting.Put(db, setting.Values{name: value})
}
