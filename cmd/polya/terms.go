package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/cmd/internal/vocabulary"
	"github.com/polya-classifier/polya/store/count"
)

type termsFlags struct {
	by    string
	limit int
	json  bool
	languageFlags
}

func termsCommand(p *program) *cobra.Command {
	var f termsFlags
	cmd := &cobra.Command{
		Use:   "terms [CLASS|TAG]",
		Short: "print the terms of a class or tag",
		Example: `    polya terms spam --by odds -n 20
    polya terms spam --predictive --alpha 1
    polya terms spam --predictive --closed`,
		Args:              needs(0, 1, "at most one class"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.terms(cmd, &f, args) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().StringVar(&f.by, "by", "df", "`ORDER`: df, tf, odds, mi, mi-tokens or chi2")
	f.limit = 50
	numberFlag(cmd, &f.limit, "terms", "n", 0, "print the first `N` terms, 0 for all")
	f.languageFlags.flags(cmd)
	jsonFlag(cmd, &f.json)
	complete(cmd, "by", append([]string{"df", "tf", "odds"}, measureNames()...)...)
	return cmd
}

func (p *program) terms(cmd *cobra.Command, f *termsFlags, args []string) error {
	class := ""
	if len(args) > 0 {
		class = args[0]
	}
	order, err := vocabulary.ParseOrder(f.by, len(args) > 0)
	if err != nil {
		return misuse(cmd, "%w", err)
	}
	if err := f.languageFlags.check(cmd, len(args) > 0); err != nil {
		return err
	}
	db, err := p.openToRead()
	if err != nil {
		return err
	}
	defer db.Close()
	if len(args) > 0 {
		if _, err := holdings.Class(db, class); err != nil {
			return err
		}
	}
	if f.predictive && db.Tags() {
		return misuse(cmd, "%s has tags, for which there is no --predictive", db.Path())
	}
	if f.predictive {
		return vocabulary.Language(cmd.Context(), p.Streams, db, class, f.limit, f.LanguageOptions, f.json)
	}
	list, err := vocabulary.Read(cmd.Context(), db, class, order, f.limit)
	if err != nil {
		return err
	}
	return vocabulary.Print(p.Streams, list, order, f.json)
}

type languageFlags struct {
	predictive bool
	vocabulary.LanguageOptions
}

func (f *languageFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.predictive, "predictive", false, "print the probabilities of the next word of CLASS")
	cmd.Flags().BoolVar(&f.Closed, "closed", false, "with --predictive: there are only the learned words")
	cmd.Flags().BoolVar(&f.Unequal, "proportional", false, "with --predictive: A is the mean; terms get shares of it in proportion to\ntheir occurrences in all classes")
	cmd.Flags().Float64Var(&f.Alpha, "alpha", model.DefaultMultinomialAlpha, "with --predictive: add `A` to the count of each term")
}

func (f *languageFlags) check(cmd *cobra.Command, ofClass bool) error {
	switch {
	case !f.predictive && cmd.Flags().Changed("alpha"):
		return misuse(cmd, "terms takes --alpha only with --predictive")
	case !f.predictive && f.Closed:
		return misuse(cmd, "terms takes --closed only with --predictive")
	case !f.predictive && f.Unequal:
		return misuse(cmd, "terms takes --proportional only with --predictive")
	case !f.predictive:
		return nil
	case !ofClass:
		return misuse(cmd, "terms --predictive needs a class")
	case cmd.Flags().Changed("by"):
		return misuse(cmd, "terms --predictive has an order of its own, and takes no --by")
	}
	if _, err := term.NewLanguageModel(new(count.Class), 0, f.Alpha); err != nil {
		return misuse(cmd, "--%w", err)
	}
	return nil
}
