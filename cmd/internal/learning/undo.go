package learning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// Undoing is the result of 'polya undo', or of its dry run.
type Undoing struct {
	Database string `json:"database"`
	Done     bool   `json:"done"` // false for a dry run
	classify.Undone
}

// Label names what was taken back by labels: of sets of tags their tags.
func (u *Undoing) Label(db *store.DB) {
	labels := make(map[string]int, len(u.Classes))
	for class, n := range u.Classes {
		labels[statistics.Label(db, class)] = n
	}
	u.Classes = labels
}

// Print prints what was taken back, or would be, and the contents of the database now.
func (u *Undoing) Print(p *terminal.Streams, db *store.DB) {
	what := terminal.Counted(u.Documents, "document", "documents")
	var of []string
	for _, class := range slices.Sorted(maps.Keys(u.Classes)) {
		of = append(of, terminal.Printable(class)+" "+terminal.Grouped(u.Classes[class]))
	}
	if len(of) > 0 {
		what += " (" + strings.Join(of, ", ") + ")"
	}
	if u.Restored > 0 {
		what += fmt.Sprintf(", %s of them to the class that they had before", terminal.Grouped(u.Restored))
	}
	path := terminal.Printable(u.Database)
	switch {
	case u.Done:
		p.Printf("%s: took back %s; %s\n", path, what, statistics.Now(db, nil))
	case u.Documents == 0:
		p.Printf("%s: no document to take back\n", path)
	default:
		p.Printf("%s: would take back %s; --yes does it\n", path, what)
	}
	if !u.Done && u.Digests > 0 {
		p.Printf("note: of %s more the ledger keeps only a digest; only 'polya forget' takes them back, by their files\n", terminal.Grouped(u.Digests))
	}
	if u.Unlisted > 0 {
		p.Printf("note: %s more were learned without a ledger, so that nobody knows when and from whom\n", terminal.Grouped(u.Unlisted))
	}
}

// NoSource returns an error if no document of the ledger is from a source: its name may
// be mistyped.
func NoSource(ctx context.Context, db *store.DB, source string) error {
	known := map[string]bool{}
	err := db.View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			known[e.Source] = true
			return ctx.Err()
		})
	})
	if err != nil || known[source] {
		return err
	}
	delete(known, "")
	names := statistics.Some(slices.Sorted(maps.Keys(known)))
	return fmt.Errorf("%s: no document in the ledger was learned from a source called %q; it has %s", db.Path(), source, cmp.Or(names, "none with a name"))
}
