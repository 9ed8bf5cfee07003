package evaluation

import (
	"bufio"
	"io"
	"strconv"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// writeAnswers writes a line for each document and model.
func writeAnswers(to io.Writer, r *Report) error {
	w := bufio.NewWriterSize(to, 1<<16)
	var line []byte
	for _, m := range r.Models {
		classes := m.Results.Classes()
		for i := range m.Results.Answers() {
			a := &m.Results.Answers()[i]
			line = appendEvalAnswer(line[:0], m.Name, classes, a)
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// appendEvalAnswer appends one answer, with the classes in order of name.
func appendEvalAnswer(b []byte, model string, classes []string, a *eval.Answer) []byte {
	b = append(b, `{"document":`...)
	b = terminal.AppendString(b, a.ID)
	if exact := terminal.ExactPath(a.ID); exact != "" {
		b = terminal.AppendString(append(b, `,"document_base64":`...), exact)
	}
	b = append(b, `,"model":`...)
	b = terminal.AppendString(b, model)
	b = append(b, `,"class":`...)
	b = terminal.AppendString(b, classes[a.Class])
	b = append(b, `,"answer":`...)
	b = terminal.AppendString(b, classes[a.Said])
	b = append(b, `,"unsure":`...)
	b = strconv.AppendBool(b, a.Unsure)
	b = append(b, `,"posterior":`...)
	b = appendByClass(b, classes, a.Posterior)
	b = append(b, `,"log_odds":`...)
	b = appendByClass(b, classes, a.LogOdds)
	return append(b, "}\n"...)
}

func appendByClass(b []byte, classes []string, numbers []float64) []byte {
	for i, x := range numbers {
		b = append(b, "{,"[min(i, 1)])
		b = terminal.AppendString(b, classes[i])
		b = append(b, ':')
		b = terminal.AppendNumber(b, x)
	}
	return append(b, '}')
}
