package evaluation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Limits of the output for many classes.
const (
	matrixClasses  = 12 // with more, the greatest confusions instead of a matrix
	listedClasses  = 30 // with more, the worst of them
	shownConfusion = 10
)

// models prints the classes of each model or, if there are many, of the default one.
func (t *evalText) models() {
	for _, m := range t.r.shown() {
		t.model(m)
	}
	if len(t.r.shown()) < len(t.r.Models) {
		t.printf("--json has these of the other models too.\n")
	}
}

func (t *evalText) model(m *Model) {
	classes := m.Classes
	if len(classes) <= listedClasses {
		t.printf("\n%s, by class:\n", m.Name)
	} else {
		classes = slices.Clone(classes)
		slices.SortStableFunc(classes, func(a, b ClassMeasures) int { return cmp.Compare(a.F1, b.F1) })
		classes = classes[:listedClasses]
		t.printf("\n%s, the %d classes of %s with the lowest F1; --json has all:\n", m.Name, listedClasses, terminal.Grouped(len(m.Classes)))
	}
	_ = terminal.TableOf(classes).Write(t) // into memory
	if len(m.Classes) <= matrixClasses && t.matrix(m) {
		return
	}
	t.confusions(m)
}

// matrix prints the confusion matrix, if it is not too wide.
func (t *evalText) matrix(m *Model) bool {
	rows := [][]string{{"class \\ answer"}}
	for i, counts := range m.Confusion {
		row := []string{terminal.Printable(m.Classes[i].Class)}
		for _, n := range counts {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
		rows[0] = append(rows[0], row[0])
	}
	var drawn evalText
	drawn.table(1, rows)
	if head, _, _ := strings.Cut(drawn.String(), "\n"); terminal.Width(head) > evalWidth {
		return false
	}
	t.printf("\n%s", drawn.Bytes())
	return true
}

// confusions prints the greatest confusions, equal ones in order of class.
func (t *evalText) confusions(m *Model) {
	type confused struct {
		Docs  int    `text:"documents"`
		Class string `text:"class"`
		Said  string `text:"answer"`
	}
	var list []confused
	for i, row := range m.Confusion {
		for j, n := range row {
			if i != j && n > 0 {
				list = append(list, confused{n, m.Classes[i].Class, m.Classes[j].Class})
			}
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b confused) int { return cmp.Compare(b.Docs, a.Docs) })
	t.printf("\n")
	_ = terminal.TableOf(list[:min(len(list), shownConfusion)]).Write(t) // into memory
}

// shownTags is the number of the most frequent tags that are printed: more nobody reads.
const shownTags = 20

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
	if !slices.ContainsFunc(list, func(c eval.TagCounts) bool { return c.Said > 0 }) {
		t.printf("No tag had as many examples as it needs, some 32 or more: see 'polya help tags'. More --folds leave more to learn.\n")
	}
	if left := len(list) - shownTags; left > 0 {
		t.printf("And %s, which fewer documents have; --json lists all.\n", terminal.Counted(left, "tag", "tags"))
	}
}
