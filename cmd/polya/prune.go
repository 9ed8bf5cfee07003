package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type pruneFlags struct {
	df     uint64
	unseen string
	size   string
	yes    bool
}

func pruneCommand(p *program) *cobra.Command {
	var f pruneFlags
	cmd := &cobra.Command{
		Use:   "prune --df N | --unseen-since TIME | --size BYTES",
		Short: "drop terms, to make the database smaller",
		Example: `    polya prune --df 2
    polya prune --size 50MB --yes`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.prune(cmd, &f) },
	}
	cmd.Flags().Uint64Var(&f.df, "df", 0, "drop terms that fewer than `N` documents have")
	cmd.Flags().StringVar(&f.unseen, "unseen-since", "", "drop terms that no document learned since `TIME` has")
	cmd.Flags().StringVar(&f.size, "size", "", "drop terms of little evidence until the file has at most `BYTES`")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "drop the terms, not only print them")
	jsonFlag(p, cmd)
	return cmd
}

func (p *program) prune(cmd *cobra.Command, f *pruneFlags) error {
	since, limit, err := f.parse(cmd)
	if err != nil {
		return err
	}
	f.yes = f.yes && !p.DryRun
	path, err := p.Path()
	if err != nil {
		return err
	}
	c, err := p.openPrune(path, f.yes)
	if err != nil {
		return err
	}
	defer c.Close()
	db := c.Store()
	var drop statistics.Goes
	switch {
	case f.unseen != "":
		drop, err = statistics.UnseenSince(cmd.Context(), db, since)
	case f.size != "":
		drop, err = statistics.Fitting(cmd.Context(), db, limit)
	default:
		drop = func(_ []byte, cells []count.Cell) bool { return term.Frequency(cells) < f.df }
	}
	if err != nil {
		return err
	}
	r := &statistics.Pruning{Database: path, Done: f.yes}
	if err := r.Run(cmd.Context(), db, drop); err != nil {
		return err
	}
	if r.Done && r.Terms > 0 {
		if r.Calibrated, err = p.recalibrate(cmd.Context(), c, "the terms are dropped"); err != nil {
			return err
		}
	}
	return p.Result(r, func() error { return r.Print(p.Streams) })
}

// parse checks that one of the choosing flags is set, and parses its value.
func (f *pruneFlags) parse(cmd *cobra.Command) (since time.Time, limit int64, err error) {
	ways := 0
	for _, flag := range []string{"df", "unseen-since", "size"} {
		if cmd.Flags().Changed(flag) {
			ways++
		}
	}
	switch {
	case ways != 1:
		return since, 0, misuse(cmd, "prune needs one of --df, --unseen-since and --size, and no more than one")
	case cmd.Flags().Changed("unseen-since"):
		if since, err = momentFlag(cmd, "unseen-since"); err == nil && since.After(time.Now()) {
			err = misuse(cmd, "--unseen-since %s is in the future, so that all terms would go", f.unseen)
		}
	case cmd.Flags().Changed("size"):
		if limit, err = numeric.Bytes(f.size); err != nil {
			return since, 0, misuse(cmd, "--size %q is no size: want one as 500000, 800kB, 50MB or 1.5GB", f.size)
		}
	}
	return since, limit, err
}

// openPrune opens the database for writing even for a dry run: the size of the new file
// is known only by writing it, beside the old one. For a dry run on a read-only database
// it opens a copy.
func (p *program) openPrune(path string, really bool) (*classify.Classifier, error) {
	o := classify.Options{Holds: classify.Either}
	c, err := p.openWrite(o)
	if !really && errors.Is(err, store.ErrReadOnly) {
		return p.Copy(path, o)
	}
	return c, err
}

func compactCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "compact",
		Short:   "make the file of the database smaller",
		Example: "    polya compact",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.change(func(c *classify.Classifier) error {
				before, err := c.Store().Size()
				if err != nil {
					return err
				}
				wait := p.NewWait("compacting", before)
				err = c.Store().Compact(cmd.Context())
				wait.Done()
				if err != nil {
					return err
				}
				after, err := c.Store().Size()
				if err == nil {
					p.Printf("%s: %s bytes before, %s bytes now\n", terminal.Printable(c.Store().Path()), terminal.Grouped(before), terminal.Grouped(after))
				}
				return err
			})
		},
	}
}
