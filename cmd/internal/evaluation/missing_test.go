package evaluation

import (
	"maps"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
)

// What cannot be drawn is left out, and no number is drawn that is none.
func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	nan, inf := Number(math.NaN()), Number(math.Inf(1))
	all := map[string]int{"ROC": 1, "Reliability": 4}
	without := func(title string) map[string]int {
		m := maps.Clone(all)
		delete(m, title)
		return m
	}
	for name, test := range map[string]struct {
		change func(*Report)
		want   map[string]int // figures
	}{
		"another positive class": {func(r *Report) { r.Positive = "eggs" }, without("ROC")},
		"no probabilities": {func(r *Report) {
			for _, m := range r.Models {
				m.Reliability = nil
				m.LogLoss, m.Brier, m.ECE = Interval{Value: nan, Low: nan, High: nan}, nan, nan
			}
		}, without("Reliability")},
		"constant scores": {func(r *Report) { r.Models[0] = constant(r) }, all},
		"infinite loss":   {func(r *Report) { r.Models[0].LogLoss = Interval{Value: inf, Low: inf, High: inf} }, all},
	} {
		t.Run(name, func(t *testing.T) {
			r := sampleReport(100, "ham", "spam")
			test.change(r)
			doc := written(t, r)
			checkContained(t, doc)
			checkDrawings(t, doc)
			if got := figuresOf(t, doc); !maps.Equal(got, test.want) {
				t.Errorf("figures %v, want %v", got, test.want)
			}
		})
	}
	if got := figuresOf(t, written(t, sampleReport(40, "ham"))); got["ROC"] != 0 || got["Reliability"] != 4 {
		t.Errorf("of one class: figures %v", got)
	}
}

// constant is a model that says the same of every document.
func constant(r *Report) *Model {
	results := &eval.Results{Classes: []string{"ham", "spam"}}
	for i := range 100 {
		if err := results.Add(eval.Answer{ID: strconv.Itoa(i), Class: i % 2, Said: 0, Posterior: []float64{.6, .4}}); err != nil {
			panic(err)
		}
	}
	return measured(r, "constant", results)
}

// The page says what was run: its title, data, date, version and command.
func TestFactsOfTheRun(t *testing.T) {
	doc := written(t, sampleReport(90, "ham", "spam"))
	for _, want := range []string{"<title>Evaluation: mail</title>", "<h1>Evaluation: mail</h1>",
		"<dd>2026-01-02 03:04:05 UTC</dd>", "<dd>polya devel</dd>", "<dd>polya eval --folds 10 /data/mail</dd>"} {
		if !strings.Contains(doc, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// Of many models the default one has figures of its own, wherever it stands and however well
// the others do.
func TestDetailsOfTheDefaultModel(t *testing.T) {
	r := sampleReport(90, "ham", "spam")
	auto := sampleModel(r, "auto", 90, .5, 9)
	r.Models, r.Curve = append(r.Models[:3:3], auto, r.Models[3]), nil
	doc := written(t, r)
	if figures := figuresOf(t, doc); figures["Reliability"] != 1 || !strings.Contains(doc, "auto: the class with the highest probability") {
		t.Errorf("figures %v", figures)
	}
}

// No line joins bins of few documents, and every mark has its interval.
func TestThinBinsAreNotJoined(t *testing.T) {
	var bins []eval.Bin
	for i, docs := range []int{50, 2, 40, 30, 0, 9, 12} {
		b := eval.Bin{Docs: docs, Probability: .1 * float64(i), Frequency: .5}
		b.FrequencyLow, b.FrequencyHigh = eval.Wilson(b.Frequency, docs)
		bins = append(bins, b)
	}
	svg := reliability("x", 0, bins)
	// The diagonal, an interval for each of 6 bins, and a line between two of them.
	if lines, marks := strings.Count(svg, `fill="none"`), strings.Count(svg, "<circle"); lines != 1+6+1 || marks != 6 {
		t.Errorf("%d lines and %d marks", lines, marks)
	}
}
