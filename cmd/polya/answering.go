package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/store"
)

// deciding holds the flags that say how an answer is chosen. They go before the settings of
// the same name that the database keeps.
type deciding struct {
	is    string
	costs []string
}

func (d *deciding) flags(p *program, cmd *cobra.Command, is string) {
	f := cmd.Flags()
	f.StringVar(&d.is, setting.Is, "", is)
	f.String(setting.FPR, "", "answer the class of --is only above the cut-off that at most `RATE` of the\ndocuments of other classes exceed, with 95 % confidence, as in 1% or 0.01")
	f.String(setting.Threshold, "", "answers less probable than `P` are unsure, and with --is no others")
	cmd.Flags().StringArrayVar(&d.costs, setting.Cost, nil, "cost of an answer, `TRUTH>SAID=COST` or unsure=COST; may be repeated.\nThe answer of the least expected cost is given")
	p.completeClassFlag(cmd, setting.Is)
}

func (d *deciding) given(cmd *cobra.Command) setting.Values {
	v := setting.Values{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(setting.Names, f.Name) {
			v[f.Name] = f.Value.String()
		}
	})
	if len(d.costs) > 0 {
		v[setting.Cost] = strings.Join(d.costs, "\n")
	}
	return v
}

// checkDecided refuses a decision about a class that the database does not have: a
// mistyped name would silently change nothing.
func checkDecided(db *store.DB, d decision.Decision) error {
	for _, class := range decision.ClassesOf(d) {
		if _, err := statistics.Class(db, class); err != nil {
			return err
		}
	}
	return nil
}

// asking holds the flags of commands that answer from a database of the user's.
type asking struct {
	deciding
	model   classify.Model
	options classify.Options // of the open database
	tagger  *tags.Tagger     // of it, if it has tags, else nil
}

func (a *asking) flags(p *program, cmd *cobra.Command, is string) {
	a.deciding.flags(p, cmd, is)
	command.ValueFlag(cmd, &a.model, "model", classify.ParseModel, "event `MODEL`; 'polya help models' lists them")
	cmd.Flags().Lookup("model").DefValue = "auto"
	command.Complete(cmd, "model", evaluation.ModelNames()...)
}

// checkGiven checks flags before a database is opened.
func checkGiven(cmd *cobra.Command, given setting.Values) error {
	if f := cmd.Flags().Lookup(setting.FPR); f.Changed && f.Value.String() == "" {
		return command.Misuse(cmd, "--fpr \"\": want a rate above 0 and below 1, such as 0.1%% or 0.001")
	}
	if _, _, err := given.Decide(); err != nil && err != setting.ErrNoClass { // the database may keep it
		return command.Misuse(cmd, "--%w", err)
	}
	return nil
}

// open opens the database with the options of the flags. It refuses a decision that the database
// cannot make.
func (a *asking) open(p *program, cmd *cobra.Command) (*classify.Classifier, error) {
	a.options = classify.Options{Model: a.model, Settings: a.given(cmd), Holds: classify.Either}
	if err := checkGiven(cmd, a.options.Settings); err != nil {
		return nil, err
	}
	db, err := p.openRead(a.options)
	if err != nil {
		return nil, err
	}
	d := decision.Decision(nil)
	if db.Store().Tags() {
		a.tagger, err = taggerOf(cmd, db)
	} else {
		d, _, err = db.Settings().Decide()
	}
	if err = cmp.Or(err, checkDecided(db.Store(), d)); err == nil && a.is != "" {
		_, err = statistics.Class(db.Store(), a.is)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// notOfTags are the flags that have no meaning for a database of tags.
var notOfTags = []string{"fpr", "threshold", "cost", "model", "attr", "kind"}

// taggerOf returns what answers from a database of tags, at the precision that is set, if none
// of the flags is about classes.
func taggerOf(cmd *cobra.Command, db *classify.Classifier) (*tags.Tagger, error) {
	for _, name := range notOfTags {
		if cmd.Flags().Changed(name) {
			return nil, command.Misuse(cmd, "%s has tags, for which there is no --%s", db.Store().Path(), name)
		}
	}
	precision := 0.0 // the default
	if share := db.Settings()[setting.Precision]; share != "" {
		precision, _ = setting.Share(share) // which opening has checked
	}
	t, err := tags.New(db, precision)
	if err != nil {
		return nil, command.Misuse(cmd, "--%w", err)
	}
	return t, nil
}

// A verdict sums up answers as an exit code: whether all documents are of a class.
type verdict struct {
	is         string // the class
	no, unsure bool   // of a document
}

func (v *verdict) add(class string, unsure bool) {
	v.no = v.no || !unsure && class != v.is
	v.unsure = v.unsure || unsure
}

func (v *verdict) code() error {
	switch {
	case v.no:
		return command.AnswerCode(command.No)
	case v.unsure:
		return command.AnswerCode(command.Unsure)
	}
	return nil
}
