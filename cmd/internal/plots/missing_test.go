package plots

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
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
		{"nothing", &evaluation.Report{Study: true}, []string{"No model was evaluated.", "No comparison", "No diagram", "at one size", "no two such classes", "No terms", "No class has terms"}},
		{"no documents", sample(0, "ham", "spam"), []string{"asked about no document", "no document of the test is of the class", "No diagram"}},
		{"one class", sample(40, "ham"), []string{"all documents of the test are of the class", ">40<"}},
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
		}), []string{"No curve of dcm: the single answers are not in the report."}},
		{"no probabilities", two(func(r *evaluation.Report) {
			for _, m := range r.Models {
				m.Reliability, m.PositiveReliability, m.Positive = nil, nil, nil
				m.LogLoss, m.Brier, m.ECE = evaluation.Interval{Value: nan, Low: nan, High: nan}, nan, nan
			}
		}), []string{"No diagram: no model gave probabilities", `<td class="n">–</td>`}},
		{"constant scores", two(func(r *evaluation.Report) { r.Models[0] = constant(r) }), []string{"No curve of constant: all documents have the same score"}},
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

// No section is empty: each has a figure or a table, but for the last, which says what
// there is not; and that is not there if nothing is missing.
func TestNoEmptySections(t *testing.T) {
	for _, r := range []*evaluation.Report{{Study: true}, sample(0, "ham", "spam"), sample(40, "ham"), sample(90, numbered(5)...), sample(90, "ham", "spam")} {
		doc := written(t, r)
		figures, missing := figuresOf(t, doc)
		for _, n := range elements(t, doc) {
			if n.Data != "section" {
				continue
			}
			if id := attribute(n, "id"); id == "absent" && missing[id] == 0 || id != "absent" && figures[id] == 0 {
				t.Errorf("%d classes: section %q is empty", len(r.Classes), id)
			}
		}
	}
	if doc := written(t, sample(90, "ham", "spam")); strings.Contains(doc, "Not in this report") {
		t.Error("something is missing from a whole report")
	}
	// Two classes were learned, but without terms.
	r := sample(90, "ham", "spam")
	r.Densities, r.Presence = nil, nil
	if doc := written(t, r); strings.Contains(doc, "has 2 classes") || !strings.Contains(doc, "two classes that have terms") {
		t.Error("it does not say that classes without terms have no densities")
	}
}

// The page says what was run: its title, data, date, version and command.
func TestFactsOfTheRun(t *testing.T) {
	doc := written(t, sample(90, "ham", "spam"))
	for _, want := range []string{"<title>Evaluation: mail</title>", "<h1>Evaluation: mail</h1>", "<dd>/data/mail</dd>",
		"<dd>2026-01-02 03:04:05 UTC</dd>", "<dd>polya devel</dd>", "<dd>polya eval --folds 10 /data/mail</dd>"} {
		if !strings.Contains(doc, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// Of many models the default one has figures and tables, wherever it stands and however
// well the others do, and so has the baseline.
func TestDetailsOfTheDefaultModel(t *testing.T) {
	r := sample(90, "ham", "spam")
	auto := sampleModel(r, "auto", 90, .5, 9)
	r.Models = append(r.Models[:3:3], auto, r.Models[3])
	figures, _ := figuresOf(t, written(t, r))
	if figures["confusion"] != 2 || figures["classes"] != 2 || figures["reliability"] != 4 {
		t.Errorf("figures %v", figures)
	}
	if indices, left := detailed(r); indices[0] != 3 || indices[1] != 4 || len(left) != 1 {
		t.Errorf("details of models %v, %q", indices, left)
	}
}

// No line joins bins of few documents, and every mark has its interval.
func TestThinBinsAreNotJoined(t *testing.T) {
	var bins []evaluation.Bin
	for i, docs := range []int{50, 2, 40, 30, 0, 9, 12} {
		bins = append(bins, evaluation.NewBin(eval.Bin{Docs: docs, Probability: .1 * float64(i), Frequency: .5}))
	}
	var joint []int
	for _, run := range joined(bins) {
		joint = append(joint, len(run))
	}
	if want := []int{1, 2, 1}; !slices.Equal(joint, want) {
		t.Errorf("runs of %v bins, want %v", joint, want)
	}
	if low, high := bins[1].FrequencyLow, bins[1].FrequencyHigh; low > .1 || high < .9 {
		t.Errorf("the interval of two documents is %v to %v", low, high)
	}
	f, found := reliabilityFigure("x", 0, bins)
	if lines := strings.Count(f.SVG, `class="line"`); !found || lines != 1 {
		t.Errorf("%d lines are drawn, want that of two bins", lines)
	}
	if whiskers := strings.Count(f.SVG, `stroke-dasharray=""`); whiskers != 2*6 {
		t.Errorf("%d upright lines, want one above and one below for each of 6 bins", whiskers)
	}
}

// Long names of classes are whole, at the axes or in the legend.
func TestWholeNames(t *testing.T) {
	long := "comp.sys.ibm.pc.hardware and whatever else there may be"
	for _, name := range []string{"comp.sys.ibm.pc.hardware", long} {
		doc := written(t, sample(90, "sci.space", name, "misc.forsale"))
		for _, n := range elements(t, doc) {
			if n.Data == "section" && attribute(n, "id") == "confusion" && !strings.Contains(textOf(n), name) {
				t.Errorf("the confusions do not name %q", name)
			}
		}
	}
}
