package evaluation

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// evalWidth is how wide the text of a report may be.
const evalWidth = 100

// manyModels is the number of models above which less is printed for each.
const manyModels = 4

// textOf returns a report for people.
func textOf(r *Report) []byte {
	t := evalText{r: r}
	t.head()
	if r.Tags != nil {
		t.tags()
		return t.Bytes()
	}
	t.overview()
	t.decisions()
	t.comparisons()
	t.curve()
	t.models()
	return t.Bytes()
}

type evalText struct {
	bytes.Buffer
	r *Report
}

func (t *evalText) printf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

// table prints a table whose columns are numbers except the first few.
func (t *evalText) table(texts int, rows [][]string) {
	table := terminal.Table{Rows: rows}
	table.NumbersFrom(texts)
	_ = table.Write(t) // into memory
}

func (t *evalText) head() {
	r := t.r
	switch r.Method {
	case MethodFolds:
		t.printf("%s, each asked about after all of %d folds but its own were learned.\n", terminal.Counted(r.Tested, "document", "documents"), r.Folds)
	case MethodPrequential:
		t.printf("%s, each asked about and then learned; their order: %s.\n", terminal.Counted(r.Tested+r.Skipped, "document", "documents"), terminal.Printable(r.Order))
	default:
		t.printf("Learned %s, asked about %s.\n", terminal.Counted(r.Trained, "document", "documents"), terminal.Counted(r.Tested, "document", "documents"))
	}
	if r.Copies > 0 {
		t.printf("note: copies of documents given for learning, which are learned once: %s\n", terminal.Grouped(r.Copies))
	}
	if r.Skipped > 0 {
		t.printf("note: %s had no answer, as nothing was learned before\n", terminal.Counted(r.Skipped, "document", "documents"))
	}
	if r.Raw {
		t.printf("note: probabilities come straight from the event models and are not calibrated\n")
	}
	for _, note := range r.Notes {
		t.printf("note: %s\n", terminal.Printable(note))
	}
}

// overview prints the measures that every evaluation has.
func (t *evalText) overview() {
	rows := [][]string{{"model", "accuracy %", "95 %", "macro F1 %", "log loss", "95 %", "Brier", "ECE %"}}
	for _, m := range t.r.Models {
		rows = append(rows, []string{
			m.Name, percent(m.Accuracy.Value), span(m.Accuracy, percent), percent(m.MacroF1),
			decimal(m.LogLoss.Value), span(m.LogLoss, decimal), decimal(m.Brier), percent(m.ECE),
		})
	}
	t.printf("\n")
	t.table(1, rows)
	t.printf("ECE: of the most probable class, in %d bins of equal width. Intervals: 1,000 bootstrap samples.\n", eval.Bins)
	for _, m := range t.r.Models {
		if m.Variance > 0 {
			t.printf("%s: prior variance %v.\n", m.Name, m.Variance)
		}
	}
}

// decisions prints the effects of acting on the answers.
func (t *evalText) decisions() {
	head := []string{"model", "unsure %", "sure right %"}
	if t.r.Positive != "" {
		head = append(head, "1-ROCA %", "LAM %")
		for _, missed := range t.r.Models[0].Positive.Missed {
			head = append(head, fmt.Sprintf("missed at %.6g %%", 100*missed.FPR))
		}
	}
	rows := [][]string{head}
	for _, m := range t.r.Models {
		row := []string{m.Name, percent(m.UnsureRate), percent(m.SureAccuracy)}
		if p := m.Positive; p != nil {
			row = append(row, decimal(p.OneMinusROCAPercent), terminal.Decimals(float64(p.LAMPercent), "%.2f"))
			for _, missed := range p.Missed {
				row = append(row, percent(missed.FNR))
			}
		}
		rows = append(rows, row)
	}
	t.printf("\n")
	if t.r.Positive != "" {
		t.printf("Looking for %s:\n", terminal.Printable(t.r.Positive))
	}
	t.table(1, rows)
}

func (t *evalText) comparisons() {
	if len(t.r.Comparisons) == 0 {
		return
	}
	t.printf("\n")
	_ = terminal.TableOf(t.r.Comparisons).Write(t) // into memory
}

func (t *evalText) curve() {
	if len(t.r.Curve) == 0 {
		return
	}
	head := []string{"documents learned"}
	if t.r.Method == MethodPrequential {
		head[0] = "documents so far"
	}
	shown := t.r.shown()
	for _, m := range shown {
		head = append(head, m.Name, "log loss")
	}
	rows := [][]string{head}
	for _, p := range t.r.Curve {
		row := []string{terminal.Grouped(p.Docs)}
		for k, v := range p.Models {
			if slices.Contains(shown, t.r.Models[k]) {
				row = append(row, percent(v.Accuracy), decimal(v.LogLoss))
			}
		}
		rows = append(rows, row)
	}
	t.printf("\nAccuracy %% and log loss by number of documents:\n")
	t.table(0, rows)
}

func percent(x Number) string { return terminal.Decimals(float64(100*x), "%.2f") }

func decimal(x Number) string { return terminal.Decimals(float64(x), "%.4f") }

func span(i Interval, show func(Number) string) string {
	return "[" + show(i.Low) + ", " + show(i.High) + "]"
}
