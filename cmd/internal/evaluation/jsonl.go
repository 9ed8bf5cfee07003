package evaluation

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

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

// writeAnswers writes a line for each document and model.
func writeAnswers(to io.Writer, r *Report) error {
	w := bufio.NewWriterSize(to, 1<<16)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, m := range r.Models {
		for i := range m.Results.Answers() {
			if err := lines.Encode(lineOf(m.Name, m.Results.Classes(), &m.Results.Answers()[i])); err != nil {
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
