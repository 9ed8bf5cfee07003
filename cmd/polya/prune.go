package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/polya/internal/rates"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type pruneFlags struct {
	df     uint64
	unseen string
	size   string
	yes    bool
	json   bool
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
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do it, and not only say what would go")
	jsonFlag(cmd, &f.json)
	return cmd
}

// goes says of a term whether it is dropped.
type goes func(term []byte, cells []count.Cell) bool

func (p *program) prune(cmd *cobra.Command, f *pruneFlags) error {
	since, limit, err := f.parse(cmd)
	if err != nil {
		return err
	}
	c, err := p.openPrune(cmd.Context(), f.yes)
	if err != nil {
		return err
	}
	defer c.Close()
	db := c.Store()
	var drop goes
	switch {
	case f.unseen != "":
		drop, err = unseenSince(cmd.Context(), db, since)
	case f.size != "":
		drop, err = fitting(cmd.Context(), db, limit)
	default:
		drop = func(_ []byte, cells []count.Cell) bool { return documentsOf(cells) < f.df }
	}
	if err != nil {
		return err
	}
	r := &pruneReport{Database: c.path, Done: f.yes}
	if err := r.run(cmd.Context(), db, drop); err != nil {
		return err
	}
	if r.Done && r.Terms > 0 {
		if r.calibrated, err = p.recalibrate(cmd.Context(), c.Classifier); err != nil {
			return err
		}
	}
	if f.json {
		return p.EncodeJSON(r)
	}
	return p.printPruning(r)
}

// parse wants one of the flags that choose, and reads those whose values are text.
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
		if since, err = parseMoment(f.unseen, time.Now()); err != nil || f.unseen == "" {
			return since, 0, misuse(cmd, "--unseen-since %q is no time: want one as 2026-07-31, 2026-07-31T18:00:00Z, 90m or 180d", f.unseen)
		}
		if since.After(time.Now()) {
			return since, 0, misuse(cmd, "--unseen-since %s is in the future, so that all terms would go", f.unseen)
		}
	case cmd.Flags().Changed("size"):
		if limit, err = parseBytes(f.size); err != nil {
			return since, 0, misuse(cmd, "--size %q is no size: want one as 500000, 800kB, 50MB or 1.5GB", f.size)
		}
	}
	return since, limit, nil
}

// parseBytes reads a number of bytes; kB, MB and GB are powers of 1000, KiB, MiB
// and GiB of 1024.
func parseBytes(s string) (int64, error) {
	unit := 1.0
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = number, u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(n >= 0 && n*unit < 1<<62) {
		return 0, strconv.ErrSyntax
	}
	return int64(n * unit), nil
}

// documentsOf is in how many documents of all classes a term occurs.
func documentsOf(cells []count.Cell) (df uint64) {
	for i := range cells {
		df += cells[i].DF
	}
	return df
}

// pruneReport is what 'polya prune' says.
type pruneReport struct {
	Database   string          `json:"database"`
	Done       bool            `json:"done"` // false: it only would be
	Terms      uint64          `json:"terms"`
	Vocabulary uint64          `json:"vocabulary"` // before
	Tokens     uint64          `json:"tokens"`
	Share      terminal.Number `json:"token_share"`
	Before     int64           `json:"size_before"`
	After      int64           `json:"size_after"`
	Most       []termInfo      `json:"most_frequent"` // of what goes, those in the most documents

	calibrated *calibration.Calibration // anew, nil if not
}

// mostFrequent is how many of the terms that go are listed.
const mostFrequent = 20

// run drops the terms or, unless r.Done, finds out what would be dropped.
func (r *pruneReport) run(ctx context.Context, db *store.DB, drop goes) error {
	all := uint64(0)
	err := db.View(func(s *store.Snapshot) error {
		r.Vocabulary = s.Vocabulary()
		for _, c := range s.Classes() {
			all += c.Tokens
		}
		return nil
	})
	if err != nil {
		return err
	}
	prune := db.TryPrune
	if r.Done {
		prune = db.Prune
	}
	out, err := prune(ctx, func(term []byte, cells []count.Cell) bool {
		if !drop(term, cells) {
			return false
		}
		r.list(term, cells)
		return true
	})
	if err != nil {
		return err
	}
	r.shorten()
	r.Terms, r.Tokens, r.Before, r.After = out.Terms, out.Tokens, out.Before, out.After
	if all > 0 {
		r.Share = terminal.Number(float64(out.Tokens) / float64(all))
	}
	return nil
}

// list adds a term that goes.
func (r *pruneReport) list(term []byte, cells []count.Cell) {
	t := termInfo{Term: string(term), Documents: documentsOf(cells)}
	for i := range cells {
		t.Occurrences += cells[i].TF
	}
	if r.Most = append(r.Most, t); len(r.Most) > 1000 {
		r.shorten()
	}
}

// shorten leaves only the terms in the most documents.
func (r *pruneReport) shorten() {
	slices.SortFunc(r.Most, func(a, b termInfo) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Term, b.Term))
	})
	r.Most = r.Most[:min(len(r.Most), mostFrequent)]
}

func (p *program) printPruning(r *pruneReport) error {
	if r.Terms == 0 {
		p.Printf("%s: no term to drop, of %s\n", terminal.Printable(r.Database), terminal.Grouped(r.Vocabulary))
		return nil
	}
	what := fmt.Sprintf("%s of %s terms, %.1f %% of all occurrences", terminal.Grouped(r.Terms), terminal.Grouped(r.Vocabulary), 100*float64(r.Share))
	if r.Done {
		p.Printf("%s: dropped %s; %s bytes before, %s bytes now\n", terminal.Printable(r.Database), what, terminal.Grouped(r.Before), terminal.Grouped(r.After))
		if r.calibrated != nil {
			p.Printf("calibrated anew: %s\n", rates.Choice(r.calibrated))
		}
		return nil
	}
	p.Printf("%s: would drop %s; %s bytes now, %s bytes then; --yes does it\n", terminal.Printable(r.Database), what, terminal.Grouped(r.Before), terminal.Grouped(r.After))
	if r.Terms == r.Vocabulary {
		p.Printf("note: these are all terms: no document could be told from another until more are learned\n")
	}
	if p.Quiet {
		return nil
	}
	t := terminal.Table{Numeric: []bool{false, true, true}}
	t.Add("term", "documents", "occurrences")
	for _, x := range r.Most {
		t.Add(terminal.Printable(x.Term), terminal.Grouped(x.Documents), terminal.Grouped(x.Occurrences))
	}
	return t.Write(p.Stdout)
}
