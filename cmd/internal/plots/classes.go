package plots

import (
	"fmt"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

func classSection(r *evaluation.Report) section {
	s := section{ID: "classes", Title: "The classes",
		Read: "Precision is the share of what was said to be of the class that is; recall the share of the class that was said to be. F1 is high only if both are. 1−ROCA % is the area above the ROC curve of the class against all others, best at 0; average precision is the area below its precision–recall curve, best at 1."}
	indices, notes := detailed(r)
	s.Notes = notes
	for _, i := range indices {
		m := r.Models[i]
		if len(m.Classes) == 0 {
			s.Missing = append(s.Missing, printable(m.Name)+" was measured on no class.")
			continue
		}
		t := table{Caption: printable(m.Name), Head: []head{{"class", false}, {"documents", true},
			{"precision", true}, {"recall", true}, {"F1", true}, {"1−ROCA %", true}, {"average precision", true}}}
		for _, c := range m.Classes {
			t.Rows = append(t.Rows, []cell{words(c.Class), whole(c.Support), share(float64(c.Precision)),
				share(float64(c.Recall)), share(float64(c.F1)), decimals(float64(c.OneMinusROCAPercent), 4),
				decimals(float64(c.AveragePrecision), 4)})
		}
		s.Tables = append(s.Tables, t)
	}
	if len(r.Models) == 0 {
		s.Missing = []string{"No model was evaluated."}
	}
	return s
}

func termSection(r *evaluation.Report) section {
	s := section{ID: "terms", Title: "Terms",
		Read: "At the left the terms that a class has most of, with their share of it: what every text has stands here, too. At the right the terms whose presence says most of whether a document is of the class, with how much that is in thousandths of a nat, and in how many documents of the class and of others they are."}
	if len(r.Terms) == 0 {
		s.Missing = []string{"No terms: no class was learned."}
	}
	for _, c := range r.Terms {
		if len(c.ByProbability)+len(c.ByInformation) == 0 {
			s.Missing = append(s.Missing, printable(c.Class)+" has no terms.")
			continue
		}
		s.Tables = append(s.Tables, termTable(c))
	}
	return s
}

func termTable(c evaluation.ClassTerms) table {
	t := table{Caption: printable(c.Class), Head: []head{{"most frequent", false}, {"share", true},
		{"most informative", false}, {"mnat", true}, {"within", true}, {"elsewhere", true}}}
	for i := range max(len(c.ByProbability), len(c.ByInformation)) {
		row := make([]cell, len(t.Head))
		if i < len(c.ByProbability) {
			x := c.ByProbability[i]
			row[0], row[1] = words(x.Term), cell{Text: fixedPoint(100*x.Probability, 2) + "\u00a0%", Number: true}
		}
		if i < len(c.ByInformation) {
			x := c.ByInformation[i]
			row[2], row[3] = words(x.Term), decimals(1000*x.Information, 1)
			row[4], row[5] = whole(int(x.Docs)), whole(int(x.Elsewhere))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func title(r *evaluation.Report) string {
	if r.Run.Title == "" {
		return "Evaluation"
	}
	return "Evaluation: " + printable(r.Run.Title)
}

// facts describes the run and its data.
func facts(r *evaluation.Report) [][2]string {
	var list [][2]string
	add := func(name, value string) { list = append(list, [2]string{name, value}) }
	for _, path := range r.Run.Data {
		add("data", printable(path))
	}
	if !r.Run.Time.IsZero() {
		add("date", r.Run.Time.Format("2006-01-02 15:04:05 MST"))
	}
	if r.Run.Program != "" {
		add("version", printable(r.Run.Program))
	}
	if r.Run.Command != "" {
		add("command", printable(r.Run.Command))
	}
	add("method", printable(r.Method))
	if r.Method == evaluation.MethodFolds {
		add("folds", fmt.Sprint(r.Folds))
	}
	if r.Order != "" {
		add("order", printable(r.Order))
	}
	add("classes", fmt.Sprint(len(r.Classes)))
	add("seed", fmt.Sprint(r.Seed))
	add("analyzer", printable(r.Analyzer))
	add("learned", terminal.Counted(r.Trained, "document", "documents"))
	add("tested", terminal.Counted(r.Tested, "document", "documents"))
	if r.Skipped > 0 {
		add("not asked", terminal.Counted(r.Skipped, "document", "documents")+" of the stream, before anything was learned")
	}
	if r.Copies > 0 {
		add("copies", terminal.Counted(r.Copies, "document", "documents")+" that others are copies of, learned once")
	}
	if r.Threshold > 0 {
		add("unsure", "below a probability of "+percent(r.Threshold))
	}
	return list
}
