package explanation

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Without --all, an explanation is limited to so many classes, and to names of this width, to
// fit 120 columns.
const (
	explainedClasses = 3
	explainedName    = 30
	explainedClass   = 14
)

// Explained is an explanation with the options of printing it.
type Explained struct {
	classify.Explanation
	Path            string
	ID              count.DocID
	MessageID       string
	Learned         *store.Entry
	favour, against side            // the terms and attributes to print
	printed         map[string]bool // the terms of both sides
	shown           []int           // the classes that have a column, by index
	Tags            bool            // the answer is about one tag: there are no columns of classes
	All             bool            // print all classes and terms, in full
	Costs           bool            // --cost was given
}

// Cut keeps the n terms with the largest contributions for the answer and against it, or
// all if n is 0, and the classes to show: all, or the most probable.
func (x *Explained) Cut(n int) {
	x.favour, x.against = sides(&x.Explanation, n)
	x.printed = map[string]bool{}
	for _, item := range slices.Concat(x.favour.Items, x.against.Items) {
		if item.Term != nil {
			x.printed[item.Term.Term] = true
		}
	}
	x.shown = x.shown[:0]
	if x.Tags {
		return
	}
	if x.All {
		for i := range x.Classes {
			x.shown = append(x.shown, i)
		}
		return
	}
	x.shown = append(x.shown, slices.Index(x.Classes, x.Class))
	for _, p := range x.Posterior {
		if len(x.shown) < explainedClasses && p.Class != x.Class {
			x.shown = append(x.shown, slices.Index(x.Classes, p.Class))
		}
	}
}

// Print prints the explanation for people.
func (x *Explained) Print(p *terminal.Streams) error {
	p.Printf("%s\n", x.answer())
	p.Printf("%s\n", x.counts())
	if said, silent := len(x.Attributes), x.UnknownAttributes; said+silent > 0 {
		p.Printf("%s contribute, %s do not\n", terminal.Counted(said, "attribute", "attributes"), terminal.Grouped(silent))
	}
	if hidden := len(x.Classes) - len(x.shown); hidden > 0 && !x.Tags {
		p.Printf("columns are of the most probable of %s classes; --all prints all\n", terminal.Grouped(len(x.Classes)))
	}
	p.Printf("\n")
	if err := x.groups().Write(p.Stdout); err != nil {
		return err
	}
	for _, side := range []struct {
		name  string
		items *side
	}{{"for", &x.favour}, {"against", &x.against}} {
		if len(side.items.Items) == 0 {
			continue
		}
		p.Printf("\n")
		if err := x.side(side.name, side.items).Write(p.Stdout); err != nil {
			return err
		}
	}
	return nil
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
	t.Add(x.cells("(prior, bias)", "", &x.Prior)...)
	for _, part := range []struct {
		name string
		of   *classify.Contribution
	}{{"(length)", &x.Length}, {"(recent lessons)", &x.Recent}} {
		if slices.ContainsFunc(part.of.LogLikelihoods, func(w float64) bool { return terminal.Signed(w) != terminal.Signed(0) }) {
			t.Add(x.cells(part.name, "", part.of)...)
		}
	}
	if len(x.Classes) > 2 {
		t.Add("(spread)", "", terminal.Signed(-x.Spread))
	}
	for _, g := range groups(&x.Explanation) {
		t.Add(x.cells(g.Name, terminal.Grouped(g.N), &g.Contribution)...)
	}
	if len(x.Classes) > 1 || x.Tags {
		t.Add("(sum)", "", terminal.Signed(x.LogOdds))
	}
	return t
}

func (x *Explained) side(name string, side *side) *terminal.Table {
	t := x.newTable(name+" "+x.className(x.Class), "count")
	for _, item := range side.Items {
		if a := item.Attribute; a != nil {
			t.Add(x.cells("("+terminal.Printable(a.Name)+" "+attributeText(&a.Attribute)+")", "", &item.Contribution)...)
			continue
		}
		t.Add(x.cells(shown(item.Term.Term), strconv.Itoa(item.Term.Count), &item.Contribution)...)
	}
	if side.Left > 0 {
		t.Add(x.cells(fmt.Sprintf("(%s more)", terminal.Grouped(side.Left)), "", &side.Rest)...)
	}
	return t
}

func (x *Explained) newTable(name, count string) *terminal.Table {
	head := []string{name, count, "log-odds"}
	for _, i := range x.shown {
		head = append(head, x.className(x.Classes[i]))
	}
	t := &terminal.Table{Numeric: make([]bool, len(head))}
	for i := range t.Numeric {
		t.Numeric[i] = i > 0
	}
	t.Add(head...)
	return t
}

// cells returns the cells of a part: its name, its count, its log-odds, and its log-odds
// for each class shown.
func (x *Explained) cells(name, count string, part *classify.Contribution) []string {
	if !x.All {
		name = terminal.Truncate(name, explainedName, "…")
	}
	row := []string{name, count, terminal.Signed(part.LogOdds)}
	for _, i := range x.shown {
		row = append(row, terminal.Signed(part.LogLikelihoods[i]))
	}
	return row
}

func (x *Explained) className(class string) string {
	if x.All {
		return terminal.Printable(class)
	}
	return terminal.Truncate(terminal.Printable(class), explainedClass, "…")
}

func attributeText(a *count.Attribute) string {
	switch {
	case a.Kind == count.Category:
		return terminal.Printable(a.Category)
	case a.Kind == count.YesNo && a.Number != 0:
		return "yes"
	case a.Kind == count.YesNo:
		return "no"
	}
	return fmt.Sprintf("%.4g", a.Number)
}
