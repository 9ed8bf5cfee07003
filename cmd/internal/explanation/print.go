package explanation

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// explainedName is the width to which names are cut without --all.
const explainedName = 40

// Explained is an explanation with the options of printing it.
type Explained struct {
	classify.Explanation
	Path      string
	ID        count.DocID
	MessageID string
	Learned   *store.Entry
	Most      int  // print so many terms for the answer, and against it; 0 for all
	Tags      bool // the answer is about one tag: there are no columns of classes
	All       bool // print all terms in full, with a column for each class
	Costs     bool // --cost was given
}

// Print prints the explanation.
func (x *Explained) Print(p *terminal.Streams) error {
	if p.JSON || p.Quiet {
		return p.EncodeJSON(x.object())
	}
	p.Printf("%s\n", x.answer())
	p.Printf("%s\n", x.counts())
	if said, silent := len(x.Attributes), x.UnknownAttributes; said+silent > 0 {
		p.Printf("%s, %s do not\n", terminal.Counted(said, "attribute contributes", "attributes contribute"), terminal.Grouped(silent))
	}
	p.Printf("\n")
	if err := x.groups().Write(p.Stdout); err != nil {
		return err
	}
	favour, against := sides(&x.Explanation, x.Most)
	return cmp.Or(x.side(p, "for", &favour), x.side(p, "against", &against))
}

func (x *Explained) answer() string {
	line := fmt.Sprintf("%s: %s with probability %.4f, log-odds %s", terminal.Printable(x.Path), terminal.Printable(x.Class), x.Probability, terminal.Signed(x.LogOdds))
	if x.Costs {
		line += fmt.Sprintf(", expected cost %.4g", x.Cost)
	}
	if x.Unsure {
		line += fmt.Sprintf(", unsure (%s)", reading.Reason(x.Reason))
	}
	return line
}

func (x *Explained) counts() string {
	line := fmt.Sprintf("%s different terms contribute, %s are unknown; document %s",
		terminal.Grouped(len(x.Terms)), terminal.Grouped(x.Unknown), x.ID)
	if x.Learned == nil {
		return line
	}
	by := ""
	if x.Learned.Source != "" {
		by = " from " + terminal.Printable(x.Learned.Source)
	}
	return line + fmt.Sprintf(", learned as %s%s on %s", terminal.Printable(x.Learned.Class), by, x.Learned.Time.Local().Format(time.DateTime))
}

func (x *Explained) groups() *terminal.Table {
	t := x.newTable("group", "terms")
	t.Add(x.cells("(prior, bias)", "", partOf(&x.Prior))...)
	for _, part := range []struct {
		name string
		of   *classify.Contribution
	}{{"(length, penalty)", &x.Length}, {"(recent lessons)", &x.Recent}} {
		if slices.ContainsFunc(part.of.LogLikelihoods, func(w float64) bool { return terminal.Signed(w) != terminal.Signed(0) }) {
			t.Add(x.cells(part.name, "", partOf(part.of))...)
		}
	}
	if len(x.Classes) > 2 {
		t.Add("(spread)", "", terminal.Signed(-x.Spread))
	}
	for _, g := range groups(&x.Explanation) {
		t.Add(x.cells(g.Group, terminal.Grouped(g.Terms), g.part)...)
	}
	if len(x.Classes) > 1 || x.Tags {
		t.Add("(sum)", "", terminal.Signed(x.LogOdds))
	}
	return t
}

// side prints the contributions on one side, if there are any.
func (x *Explained) side(p *terminal.Streams, name string, side *side) error {
	if len(side.largest) == 0 {
		return nil
	}
	t := x.newTable(name+" "+x.cut(terminal.Printable(x.Class)), "count")
	for _, item := range side.largest {
		t.Add(x.cells(item.name, item.count, partOf(item.Contribution))...)
	}
	if left := len(side.rest); left > 0 {
		var sum part
		for _, item := range side.rest {
			sum.add(item.Contribution)
		}
		t.Add(x.cells(fmt.Sprintf("(%s more)", terminal.Grouped(left)), "", sum)...)
	}
	p.Printf("\n")
	return t.Write(p.Stdout)
}

func (x *Explained) newTable(name, count string) *terminal.Table {
	head := []string{name, count, "log-odds"}
	if x.All && !x.Tags {
		for _, class := range x.Classes {
			head = append(head, terminal.Printable(class))
		}
	}
	t := &terminal.Table{Rows: [][]string{head}}
	t.NumbersFrom(1)
	return t
}

// cells returns the cells of a part: its name, its count, its log-odds, and its log-odds
// for each class that has a column.
func (x *Explained) cells(name, count string, of part) []string {
	row := []string{x.cut(name), count, terminal.Signed(float64(of.LogOdds))}
	if x.All && !x.Tags {
		for _, weight := range of.Weights {
			row = append(row, terminal.Signed(float64(weight)))
		}
	}
	return row
}

func (x *Explained) cut(name string) string {
	if x.All {
		return name
	}
	return terminal.Truncate(name, explainedName, "…")
}

func attributeText(a *count.Attribute) string {
	switch v := attributeValue(a).(type) {
	case string:
		return terminal.Printable(v)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	}
	return fmt.Sprintf("%.4g", a.Number)
}
