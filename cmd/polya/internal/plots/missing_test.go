package plots

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
)

// What cannot be drawn is said in a sentence, and what can is drawn.
func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	nan, inf := evaluation.Number(math.NaN()), evaluation.Number(math.Inf(1))
	two := func(change func(*evaluation.Report)) *evaluation.Report {
		r := sample(100, "ham", "spam")
		change(r)
		return r
	}
	tests := []struct {
		name   string
		report *evaluation.Report
		want   []string // parts of the document
	}{
		{"nothing", &evaluation.Report{}, []string{"No model was evaluated.", "No comparison", "No diagram", "at one size", "No densities", "No terms"}},
		{"no documents", sample(0, "ham", "spam"), []string{"asked about no document", "no document of the test is of the class", "No diagram"}},
		{"one class", sample(40, "ham"), []string{"No curve: it needs a class", ">40<"}},
		{"one class, looked for", func() *evaluation.Report {
			r := sample(40, "ham")
			r.Positive = "ham"
			return r
		}(), []string{"all documents of the test are of the class"}},
		{"another positive class", two(func(r *evaluation.Report) { r.Positive = "eggs" }), []string{"no document of the test is of the class"}},
		{"no answers", two(func(r *evaluation.Report) {
			for _, m := range r.Models {
				m.Results = nil
			}
		}), []string{"No curve of dcm: its single answers are not in the report."}},
		{"no probabilities", two(func(r *evaluation.Report) {
			for _, m := range r.Models {
				m.Reliability, m.PositiveReliability, m.Positive = nil, nil, nil
				m.LogLoss, m.Brier, m.ECE = evaluation.Interval{Value: nan, Low: nan, High: nan}, nan, nan
			}
		}), []string{"No diagram: no model gave probabilities", `<td class="n">–</td>`}},
		{"constant scores", two(func(r *evaluation.Report) { r.Models[0] = constant(r) }), []string{"No curve of constant: it gives all documents the same score"}},
		{"infinite loss", two(func(r *evaluation.Report) { r.Models[0].LogLoss = evaluation.Interval{Value: inf, Low: inf, High: inf} }), []string{"∞ [∞,\u00a0∞]"}},
		{"empty curve", two(func(r *evaluation.Report) { r.Curve = &evaluation.Curve{} }), []string{"No curve: it has no point"}},
		{"curve of nothing learned", two(func(r *evaluation.Report) {
			r.Curve.Points = r.Curve.Points[:1]
			r.Curve.Points[0].Docs = 0
		}), []string{"No curve: it has no point"}},
		{"curve of one point", two(func(r *evaluation.Report) { r.Curve.Points = r.Curve.Points[:1] }), []string{"accuracy by training size"}},
		{"curve that is all right", two(func(r *evaluation.Report) {
			for _, p := range r.Curve.Points {
				for i := range p.Models {
					p.Models[i].Accuracy = around(1, 0)
				}
			}
		}), []string{"At 6,000 documents, logistic is not more often right than dcm."}},
		{"curve without numbers", two(func(r *evaluation.Report) {
			for _, p := range r.Curve.Points {
				for i := range p.Models {
					p.Models[i].Accuracy = evaluation.Interval{Value: nan, Low: nan, High: inf}
				}
			}
		}), []string{"No curve: it has no point"}},
		{"bars that do not match", two(func(r *evaluation.Report) { r.Densities.Ratio.Edges = r.Densities.Ratio.Edges[1:] }), []string{"its bins and bars do not match"}},
		{"infinite bars", two(func(r *evaluation.Report) { r.Densities.Ratio.Classes[1].Bars[3] = math.Inf(1) }), []string{"not all finite"}},
		{"bins without width", two(func(r *evaluation.Report) { clear(r.Densities.Ratio.Edges) }), []string{"its bins have no width"}},
		{"bars of nothing", two(func(r *evaluation.Report) { clear(r.Densities.Ratio.Classes[0].Bars) }), []string{"share 0\u00a0% of their area"}},
		{"no terms", two(func(r *evaluation.Report) { r.Terms[1] = evaluation.ClassTerms{Class: "spam"} }), []string{"spam has no terms."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := written(t, test.report)
			checkContained(t, doc)
			checkDrawings(t, doc)
			for _, want := range test.want {
				if !strings.Contains(doc, want) {
					t.Errorf("nothing says %q", want)
				}
			}
			if regexp.MustCompile(`NaN|[^a-zA-Z]Inf`).MatchString(doc) {
				t.Error("NaN or Inf is written")
			}
		})
	}
}

// constant is a model that says the same of every document.
func constant(r *evaluation.Report) *evaluation.Model {
	results := eval.NewResults("ham", "spam")
	for i := range 100 {
		if err := results.Add(eval.Answer{ID: strconv.Itoa(i), Class: i % 2, Said: 0, Posterior: []float64{.6, .4}}); err != nil {
			panic(err)
		}
	}
	return measured(r, "constant", results)
}
