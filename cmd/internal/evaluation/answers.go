package evaluation

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// add adds the answer for document i. A class that was never learned has probability 0; but
// if only one class was learned the others share the rest. An unsure answer still names its
// class, so that accuracies can be compared; unsure answers are counted separately.
func (m *Model) add(c *Corpus, i int, r *classify.Result) error {
	k := len(c.Classes)
	rest, odds := 0.0, math.Inf(-1)
	if len(r.Posterior) == 1 && k > 1 {
		rest = (1 - r.Posterior[0].Probability) / float64(k-1)
		odds = math.Log(rest) - math.Log1p(-rest)
	}
	x := eval.Answer{
		ID: c.Docs[i].Path, Class: c.Docs[i].Class, Said: c.class[r.Class], Unsure: r.Unsure,
		Posterior: slices.Repeat([]float64{rest}, k), LogOdds: slices.Repeat([]float64{odds}, k),
	}
	for _, p := range r.Posterior {
		at := c.class[p.Class]
		x.Posterior[at], x.LogOdds[at] = p.Probability, p.LogOdds
	}
	if k == 1 {
		x.Posterior[0], x.LogOdds[0] = 1, math.Inf(1)
	}
	return m.Results.Add(x)
}

// rightAndLoss returns for each answer 1 if it is right, otherwise 0, and its clipped
// log loss.
func rightAndLoss(r *eval.Results) (right, loss []float64) {
	for i := range r.Answers {
		x := &r.Answers[i]
		hit := 0.
		if x.Said == x.Class {
			hit = 1
		}
		right, loss = append(right, hit), append(loss, x.ClippedLoss())
	}
	return right, loss
}

func less(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// answerLine is an answer of a model as JSON, with the classes in order of name.
type answerLine struct {
	Document  string                     `json:"document"`
	Exact     string                     `json:"document_base64,omitempty"` // of a path that is not UTF-8
	Model     string                     `json:"model"`
	Class     string                     `json:"class"`
	Answer    string                     `json:"answer"`
	Unsure    bool                       `json:"unsure"`
	Posterior map[string]terminal.Number `json:"posterior"`
	LogOdds   map[string]terminal.Number `json:"log_odds"`
}

func writeAnswers(to io.Writer, r *Report) error {
	w := bufio.NewWriterSize(to, 1<<16)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, m := range r.Models {
		for i := range m.Results.Answers {
			if err := lines.Encode(lineOf(m.Name, m.Results.Classes, &m.Results.Answers[i])); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func lineOf(model string, classes []string, a *eval.Answer) answerLine {
	l := answerLine{
		Document: a.ID, Exact: terminal.ExactPath(a.ID), Model: model, Class: classes[a.Class], Answer: classes[a.Said], Unsure: a.Unsure,
		Posterior: map[string]terminal.Number{}, LogOdds: map[string]terminal.Number{},
	}
	for c, name := range classes {
		l.Posterior[name], l.LogOdds[name] = terminal.Number(a.Posterior[c]), terminal.Number(a.LogOdds[c])
	}
	return l
}
