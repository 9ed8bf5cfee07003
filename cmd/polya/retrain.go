package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/store"
)

type retrainFlags struct {
	command.Documents
	analyzer string
	forgets  bool
}

func retrainCommand(p *program) *cobra.Command {
	var f retrainFlags
	cmd := &cobra.Command{
		Use:     "retrain --analyzer SPEC PATH…",
		Short:   "learn all again by another analyzer",
		Example: "    polya retrain --analyzer \"polya-7 channel=grams\" --subfolders ~/Maildir",
		Args:    command.Needs(1, -1, "the paths of what was learned"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.retrain(cmd, &f, args) },
	}
	analyzerFlag(cmd, &f.analyzer, "`SPEC` of the analyzer; see 'polya help analyzer'")
	cmd.Flags().BoolVar(&f.forgets, "forget-missing", false, "forget learned documents that are at no PATH")
	f.Flags(p.Program, cmd)
	return cmd
}

func (p *program) retrain(cmd *cobra.Command, f *retrainFlags, paths []string) error {
	if f.analyzer == "" { // or of a variable that is not set
		return command.Misuse(cmd, "retrain needs --analyzer")
	}
	return p.over(cmd, paths, &f.Documents, nil, func(db *classify.Classifier, r *reading.Reader) error {
		return p.learnAgain(cmd.Context(), f, db, r, paths)
	})
}

const (
	markRetrain = ".retrain-" // is in the name of a database that is being made
	keptBefore  = ".before-retrain"
)

// learnAgain learns the documents of a database anew, by an analyzer, and replaces it.
func (p *program) learnAgain(ctx context.Context, f *retrainFlags, old *classify.Classifier, r *reading.Reader, paths []string) error {
	path := old.Store().Path()
	if err := p.mayReplace(old.Store()); err != nil {
		return err
	}
	newfile.RemoveLeftOver(path, markRetrain) // which a killed process has left
	made := path + markRetrain + strconv.FormatUint(uint64(rand.Uint32()), 10)
	defer os.Remove(made)
	t, unread, err := f.learnInto(ctx, made, old, r, paths)
	if err != nil {
		return err
	}
	if err := old.Close(); err != nil {
		return err
	}
	restored, err := p.replace(ctx, path, made)
	if err != nil {
		return command.OpenError(path, err)
	}
	now, err := p.openStore(path)
	if err != nil {
		return err
	}
	defer now.Close()
	return cmp.Or(unread, p.reportAgain(f, t, now, restored.Before))
}

// learnInto makes a database of the documents of old, with its settings, and fits its models. unread says
// which documents could not be read and are not missed.
func (f *retrainFlags) learnInto(ctx context.Context, made string, old *classify.Classifier, r *reading.Reader, paths []string) (t *learning.Training, unread, err error) {
	o := classify.Options{Analyzer: f.analyzer, Store: store.Options{Ledger: old.Store().Ledger()}, Fitting: classify.FitByHand}
	if old.Store().Tags() {
		o.Holds = classify.Tags
	}
	db, err := classify.Open(made, o)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	r.Analyzer, r.Database = db.Analyzer(), old.Store().Path()
	t = learning.NewTraining(db, r, "")
	t.Moves, t.From = true, old.Store()
	unread = t.Run(ctx, paths)
	if err = ctx.Err(); err == nil {
		err = f.mayLose(old.Store(), db.Store(), t.Done() > 0, unread)
		if err != nil && unread != nil {
			r.Note(err)
		}
	}
	if err != nil {
		return nil, nil, cmp.Or(unread, err)
	}
	kept, err := setting.Of(old.Store())
	if err == nil {
		err = setting.Put(db.Store(), kept)
	}
	if err = cmp.Or(err, t.Fit(), db.Close()); ctx.Err() != nil {
		err = errors.New("interrupted: nothing was changed")
	}
	return t, unread, err
}

// reportAgain reports what was learned again, and keeps the old file, before, until the next time.
func (p *program) reportAgain(f *retrainFlags, t *learning.Training, now *store.DB, before string) error {
	if one := now.Path() + keptBefore; before != "" && os.Rename(before, one) == nil {
		before = one // in place of that of the last time
	}
	statistics.Report(p.Streams, now, t.Applied, nil, "learned %s again by %s%s", terminal.Grouped(t.Applied.Learned), now.Analyzer(), replaced(before))
	if t.Strangers > 0 {
		p.Note(fmt.Errorf("left out: %s never learned before", terminal.Counted(t.Strangers, "document", "documents")))
	}
	if before == "" {
		return nil
	}
	return p.checkReplaced(now, before, f.forgets)
}

// checkReplaced reports what others have changed in the old file since its documents were
// learned again.
func (p *program) checkReplaced(now *store.DB, before string, forgets bool) error {
	old, err := p.openStore(before)
	if err != nil {
		return err
	}
	defer old.Close()
	missing, untracked, changed, err := learning.Lost(old, now)
	if forgets {
		missing, untracked = 0, 0
	}
	if n := missing + untracked + changed; err == nil && n > 0 {
		err = fmt.Errorf("%s: %s learned, moved or forgotten meanwhile, as only %s has it; do that again", now.Path(), terminal.Counted(n, "document was", "documents were"), before)
	}
	return err
}

// mayReplace refuses to replace a database that others change.
func (p *program) mayReplace(db *store.DB) error {
	if p.Borrowed() {
		return fmt.Errorf("%s: a daemon serves it, with the analyzer that it has; stop the daemon first", db.Path())
	}
	return db.View(func(s *store.Snapshot) error {
		log, err := s.Stream()
		if err == nil && log != nil {
			err = fmt.Errorf("%s: follows a log, which alone changes it", db.Path())
		}
		return err
	})
}

// mayLose refuses to lose what others have changed, and documents unless the flags allow it. They do not where one was
// unread, which may be one of those, nor where none was found, as in another folder.
func (f *retrainFlags) mayLose(old, now *store.DB, found bool, unread error) error {
	missing, untracked, changed, err := learning.Lost(old, now)
	switch {
	case err != nil:
		return err
	case changed > 0:
		return fmt.Errorf("%s: %s moved or forgotten meanwhile, so nothing was changed; run the same command again", old.Path(), terminal.Counted(changed, "document was", "documents were"))
	case f.forgets && found && unread == nil || missing+untracked == 0:
		return nil
	case f.forgets && unread != nil:
		return fmt.Errorf("%s: nothing was changed: what could not be learned may be among the documents to forget", old.Path())
	case f.forgets:
		return fmt.Errorf("%s: none of its documents was found, so nothing was changed; give their paths", old.Path())
	}
	var lost []string
	if missing > 0 {
		lost = append(lost, terminal.Counted(missing, "learned document is", "learned documents are")+" not there")
	}
	if untracked > 0 {
		lost = append(lost, terminal.Counted(untracked, "document was", "documents were")+" learned without a ledger")
	}
	return fmt.Errorf("%s: %s, so nothing was changed; give more paths, or --forget-missing", old.Path(), strings.Join(lost, ", and "))
}
