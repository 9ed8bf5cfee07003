package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
)

// over opens a database for a command about the documents at paths, and calls do to
// read and use them. Without open it is opened for changes. Slow input is read before, so that nobody
// waits for the database meanwhile.
func (p *program) over(cmd *cobra.Command, paths []string, flags *command.Documents, open func() (*classify.Classifier, error), do func(*classify.Classifier, *reading.Reader) error) error {
	if first := slices.Index(paths, "-"); first >= 0 && slices.Contains(paths[first+1:], "-") {
		return command.Misuse(cmd, "- stands twice among the paths: standard input can be read once")
	}
	walk, err := flags.Walk(p.Program, cmd)
	if err != nil {
		return err
	}
	var message bool
	p.Killable(func() { message = reading.ReadAhead(paths, &walk) })
	if awaitsInput(cmd, paths) {
		p.listenIfLong(cmd, message && len(paths) == 1)
	}
	if open == nil {
		open = func() (*classify.Classifier, error) { return p.Open(toChange) }
	}
	isNew := !command.Exists(p.Path())
	db, err := open()
	if err != nil {
		return err
	}
	defer closeCreated(db, isNew)
	r := &reading.Reader{Streams: p.Streams, Options: walk, Analyzer: db.Analyzer(), Database: db.Store().Path()}
	r.Message = message && !cmd.Flags().Changed(setting.Format)
	if err = keepTo(cmd, &r.Options, db.Settings()); err != nil {
		return err
	}
	if r.Attributes, err = flags.Attributes(cmd, db.Store()); err != nil {
		return err
	}
	if err = do(db, r); errors.Is(err, classify.ErrNoDocuments) {
		return fmt.Errorf("%s: %w", db.Store().Path(), err)
	}
	return err
}

// keepTo completes the options of a walk by the settings that a database keeps.
func keepTo(cmd *cobra.Command, walk *corpus.Options, kept setting.Values) (err error) {
	for name, usual := range map[string]*[]string{
		setting.ClassColumn: &walk.Usual.Class, setting.TextColumn: &walk.Usual.Texts, setting.IDColumn: &walk.Usual.ID,
	} {
		if !cmd.Flags().Changed(name) {
			*usual = kept.List(name)
		}
	}
	if name := kept[setting.Format]; name != "" && !cmd.Flags().Changed(setting.Format) {
		walk.Format, err = corpus.ParseFormat(name)
	}
	return err
}

// remember adds the columns that were class, texts and id of a table to those that the database
// keeps, the latest first: the next table with these columns, or with those of an earlier table,
// is read the same way.
func remember(cmd *cobra.Command, db *classify.Classifier, r *reading.Reader) error {
	_, uses := r.Attributes.Decided()
	now := map[string][]string{setting.TextColumn: r.Options.TextColumns}
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if uses[name] == corpus.AsText {
			now[setting.TextColumn] = append(now[setting.TextColumn], name)
		}
	}
	for name, column := range map[string]string{setting.ClassColumn: r.Options.ClassColumn, setting.IDColumn: r.Options.IDColumn} {
		if cmd.Flags().Changed(name) {
			now[name] = []string{column}
		}
	}
	kept, changed := db.Settings(), setting.Values{}
	for name, columns := range now {
		for _, column := range kept.List(name) {
			if !slices.Contains(columns, column) && (name != setting.TextColumn || uses[column] != corpus.AsAttribute) {
				columns = append(columns, column)
			}
		}
		all := strings.TrimPrefix(strings.Join(columns, "\n"), "\n") // '' is none in this table
		if all != kept[name] && all != strings.TrimSuffix(name, "-column") {
			changed[name] = all
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return setting.Put(db.Store(), changed)
}
