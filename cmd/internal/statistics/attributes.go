package statistics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// attributeInfo is the output of 'polya attributes' for an attribute.
type attributeInfo struct {
	Attribute string           `json:"attribute"`
	Kind      string           `json:"kind"`
	Documents uint64           `json:"documents"`
	Values    uint64           `json:"values,omitempty"` // of a category or uniform
	Alike     terminal.Number  `json:"alike"`
	Weight    *terminal.Number `json:"weight,omitempty"`
}

// ListAttributes prints the attributes of a database and how informative they are.
func ListAttributes(ctx context.Context, p *terminal.Streams, db *classify.Classifier) error {
	list, err := attributeInfos(ctx, db)
	if err != nil {
		return err
	}
	if p.JSON || p.Quiet {
		return terminal.EachJSON(p, list)
	}
	if len(list) == 0 {
		p.Note(fmt.Errorf("%s: no document was learned with attributes", db.Store().Path()))
		return nil
	}
	t := terminal.Table{Numeric: []bool{false, false, true, true, true, true}}
	t.Add("attribute", "kind", "documents", "values", "alike", "weight")
	number := func(n terminal.Number) string { return fmt.Sprintf("%.3f", float64(n)) }
	for _, info := range list {
		values, weight := "", "-"
		if info.Values > 0 {
			values = terminal.Grouped(info.Values)
		}
		if info.Weight != nil {
			weight = number(*info.Weight)
		}
		t.Add(terminal.Printable(info.Attribute), info.Kind, terminal.Grouped(info.Documents), values, number(info.Alike), weight)
	}
	return t.Write(p.Stdout)
}

func attributeInfos(ctx context.Context, db *classify.Classifier) ([]attributeInfo, error) {
	all, err := db.Attributes(ctx)
	var list []attributeInfo
	for _, a := range all {
		info := attributeInfo{Attribute: a.Name, Kind: a.Kind.String(), Documents: a.Documents, Values: a.Values, Alike: terminal.Number(a.Overlap)}
		if a.Fitted {
			info.Weight = number(a.Weight)
		}
		list = append(list, info)
	}
	return list, err
}

func number(x float64) *terminal.Number { return (*terminal.Number)(&x) }

// classAttribute is the output of 'polya attributes NAME' for a class.
type classAttribute struct {
	Class     string              `json:"class"`
	Documents uint64              `json:"documents"`
	Mean      *terminal.Number    `json:"mean,omitempty"`
	Deviation *terminal.Number    `json:"deviation,omitempty"`
	Yes       *terminal.Number    `json:"yes,omitempty"`
	Least     *terminal.Number    `json:"least,omitempty"`
	Greatest  *terminal.Number    `json:"greatest,omitempty"`
	Top       []categoryDocuments `json:"categories,omitempty"`

	cells []string // of its kind's columns
}

// columns are what a table says of a kind of attribute.
var columns = map[count.Kind][]string{
	count.Category: {"categories"}, count.YesNo: {"yes %"}, count.Real: {"mean", "deviation"}, count.Uniform: {"least", "greatest"},
}

type categoryDocuments struct {
	Category  string `json:"category"`
	Documents uint64 `json:"documents"`
}

// ListAttribute prints the distribution of one attribute in each class, with so many of its
// most frequent categories, 0 for all.
func ListAttribute(p *terminal.Streams, db *classify.Classifier, name string, values int) error {
	var kind count.Kind
	var list []classAttribute
	err := db.Store().View(func(s *store.Snapshot) error {
		all, err := s.Attributes()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(a *count.AttributeTotals) bool { return a.Name == name })
		if at < 0 {
			return fmt.Errorf("%s: no document was learned with an attribute %q; 'polya attributes' lists them", db.Store().Path(), name)
		}
		kind = all[at].Kind
		list, err = classAttributes(s, all[at], values)
		return err
	})
	if err != nil {
		return err
	}
	if p.JSON || p.Quiet {
		return terminal.EachJSON(p, list)
	}
	t := terminal.Table{Numeric: []bool{false, true, kind != count.Category, true}}
	t.Add(append([]string{"class", "documents"}, columns[kind]...)...)
	for _, info := range list {
		t.Add(append([]string{terminal.Printable(info.Class), terminal.Grouped(info.Documents)}, info.cells...)...)
	}
	return t.Write(p.Stdout)
}

// classAttributes describes the attribute in each class that has it.
func classAttributes(s *store.Snapshot, a *count.AttributeTotals, most int) ([]classAttribute, error) {
	top := make([][]categoryDocuments, len(a.Classes))
	if a.Kind == count.Category {
		err := s.EachValue(a.Name, func(value *count.Attribute, counts []uint64) error {
			for c, n := range counts {
				if n > 0 {
					top[c] = append(top[c], categoryDocuments{value.Category, n})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var list []classAttribute
	for c, class := range s.Classes() {
		cell := &a.Classes[c]
		if cell.N == 0 {
			continue
		}
		info := classAttribute{Class: class.Name, Documents: cell.N}
		n := float64(cell.N)
		switch figure := func(x float64) string { return fmt.Sprintf("%.4g", x) }; a.Kind {
		case count.Category:
			slices.SortStableFunc(top[c], func(a, b categoryDocuments) int { return cmp.Compare(b.Documents, a.Documents) })
			if most > 0 {
				top[c] = top[c][:min(most, len(top[c]))]
			}
			info.Top = top[c]
			var shown []string
			for _, v := range info.Top {
				shown = append(shown, terminal.Printable(v.Category)+" "+terminal.Grouped(v.Documents))
			}
			info.cells = []string{strings.Join(shown, ", ")}
		case count.YesNo:
			yes := float64(cell.Yes) / n
			info.Yes, info.cells = number(yes), []string{fmt.Sprintf("%.1f", 100*yes)}
		case count.Real:
			mean, deviation := cell.Mean(), math.Sqrt(cell.Deviations()/n)
			info.Mean, info.Deviation, info.cells = number(mean), number(deviation), []string{figure(mean), figure(deviation)}
		case count.Uniform:
			info.Least, info.Greatest, info.cells = number(cell.Least), number(cell.Greatest), []string{figure(cell.Least), figure(cell.Greatest)}
		}
		list = append(list, info)
	}
	return list, nil
}
