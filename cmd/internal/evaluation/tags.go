package evaluation

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// shownTags is the number of the most frequent tags that are printed: more nobody reads.
const shownTags = 20

// tags prints the measures of tags.
func (t *evalText) tags() {
	m, share := t.r.Tags, func(x float64) string { return percent(Number(x)) }
	t.printf("\n")
	t.table(0, [][]string{
		{"tags", "micro F1 %", "macro F1 %", "precision %", "recall %", "exact %", "log loss"},
		{terminal.Grouped(len(m.Tags)), share(m.MicroF1), share(m.MacroF1), share(m.Precision), share(m.Recall), share(m.Exact), decimal(Number(m.LogLoss))},
	})
	t.printf("exact: documents answered with exactly their tags. Log loss: mean over documents and tags.\n\n")
	rows := [][]string{{"tag", "documents", "answered", "precision %", "recall %", "F1 %", "log loss"}}
	list := slices.Clone(m.Tags)
	slices.SortStableFunc(list, func(a, b eval.TagCounts) int { return cmp.Compare(b.Docs, a.Docs) })
	for _, c := range list[:min(shownTags, len(list))] {
		rows = append(rows, []string{
			terminal.Printable(c.Tag), terminal.Grouped(c.Docs), terminal.Grouped(c.Said), share(c.Precision()), share(c.Recall()), share(c.F1()), decimal(Number(c.LogLoss)),
		})
	}
	t.table(1, rows)
	if left := len(list) - shownTags; left > 0 {
		t.printf("And %s, which fewer documents have; --json lists all.\n", terminal.Counted(left, "tag", "tags"))
	}
}
