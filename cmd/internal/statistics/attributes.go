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
func ListAttributes(ctx context.Context, p *terminal.Streams, db *classify.Classifier, asJSON bool) error {
	list, err := attributeInfos(ctx, db)
	if err != nil {
		return err
	}
	if asJSON {
		return terminal.EachJSON(p, list)
	}
	if len(list) == 0 {
		p.Note(fmt.Errorf("%s: no document was learned with attributes", db.Store().Path()))
		return nil
	}
	t := terminal.Table{Numeric: []bool{false, false, true, true, true, true}}
	t.Add("attribute", "kind", "documents", "values", "alike", "weight")
	for _, info := range list {
		values, weight := "", "-"
		if info.Values > 0 {
			values = terminal.Grouped(int(info.Values))
		}
		if info.Weight != nil {
			weight = fmt.Sprintf("%.3f", float64(*info.Weight))
		}
		t.Add(terminal.Printable(info.Attribute), info.Kind, terminal.Grouped(int(info.Documents)), values, fmt.Sprintf("%.3f", float64(info.Alike)), weight)
	}
	return t.Write(p.Stdout)
}

func attributeInfos(ctx context.Context, db *classify.Classifier) ([]attributeInfo, error) {
	all, err := db.Attributes(ctx)
	var list []attributeInfo
	for _, a := range all {
		info := attributeInfo{Attribute: a.Name, Kind: a.Kind.String(), Documents: a.Documents, Values: a.Values, Alike: terminal.Number(a.Overlap)}
		if a.Fitted {
			weight := terminal.Number(a.Weight)
			info.Weight = &weight
		}
		list = append(list, info)
	}
	return list, err
}

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
}

type categoryDocuments struct {
	Category  string `json:"category"`
	Documents uint64 `json:"documents"`
}

// ListAttribute prints the distribution of one attribute in each class, with so many of its
// most frequent categories, 0 for all.
func ListAttribute(p *terminal.Streams, db *classify.Classifier, name string, values int, asJSON bool) error {
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
	if asJSON {
		return terminal.EachJSON(p, list)
	}
	return printAttribute(p, kind, list)
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
		switch a.Kind {
		case count.Category:
			slices.SortStableFunc(top[c], func(a, b categoryDocuments) int { return cmp.Compare(b.Documents, a.Documents) })
			if most > 0 {
				top[c] = top[c][:min(most, len(top[c]))]
			}
			info.Top = top[c]
		case count.YesNo:
			info.Yes = ptr(terminal.Number(float64(cell.Yes) / n))
		case count.Real:
			info.Mean, info.Deviation = ptr(terminal.Number(cell.Mean())), ptr(terminal.Number(math.Sqrt(cell.Deviations()/n)))
		case count.Uniform:
			info.Least, info.Greatest = ptr(terminal.Number(cell.Least)), ptr(terminal.Number(cell.Greatest))
		}
		list = append(list, info)
	}
	return list, nil
}

func ptr[T any](v T) *T { return &v }

func printAttribute(p *terminal.Streams, kind count.Kind, list []classAttribute) error {
	t := terminal.Table{Numeric: []bool{false, true, true, true}}
	switch kind {
	case count.Category:
		t.Numeric[2] = false
		t.Add("class", "documents", "categories")
	case count.YesNo:
		t.Add("class", "documents", "yes %")
	case count.Real:
		t.Add("class", "documents", "mean", "deviation")
	case count.Uniform:
		t.Add("class", "documents", "least", "greatest")
	}
	for i := range list {
		info := &list[i]
		row := []string{terminal.Printable(info.Class), terminal.Grouped(int(info.Documents))}
		switch kind {
		case count.Category:
			var shown []string
			for _, v := range info.Top {
				shown = append(shown, fmt.Sprintf("%s %s", terminal.Printable(v.Category), terminal.Grouped(int(v.Documents))))
			}
			row = append(row, strings.Join(shown, ", "))
		case count.YesNo:
			row = append(row, fmt.Sprintf("%.1f", 100*float64(*info.Yes)))
		case count.Real:
			row = append(row, fmt.Sprintf("%.4g", float64(*info.Mean)), fmt.Sprintf("%.4g", float64(*info.Deviation)))
		case count.Uniform:
			row = append(row, fmt.Sprintf("%.4g", float64(*info.Least)), fmt.Sprintf("%.4g", float64(*info.Greatest)))
		}
		t.Add(row...)
	}
	return t.Write(p.Stdout)
}
