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
	Alike     terminal.Number  `json:"alike" format:"%.3f"`
	Weight    *terminal.Number `json:"weight,omitempty" format:"%.3f"`
}

// ListAttributes prints the attributes of a database and how informative they are.
func ListAttributes(ctx context.Context, p *terminal.Streams, db *classify.Classifier) error {
	all, err := db.Attributes(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		p.Note(fmt.Errorf("%s: no document was learned with attributes", db.Store().Path()))
		return nil
	}
	var list []attributeInfo
	for _, a := range all {
		info := attributeInfo{Attribute: a.Name, Kind: a.Kind.String(), Documents: a.Documents, Values: a.Values, Alike: terminal.Number(a.Overlap)}
		if a.Fitted {
			info.Weight = new(terminal.Number(a.Weight))
		}
		list = append(list, info)
	}
	return terminal.List(p, list)
}

// classAttribute is the output of 'polya attributes NAME' for a class.
type classAttribute struct {
	Class     string           `json:"class"`
	Documents uint64           `json:"documents"`
	Mean      *terminal.Number `json:"mean,omitempty" format:"%.4g"`
	Deviation *terminal.Number `json:"deviation,omitempty" format:"%.4g"`
	Yes       *terminal.Number `json:"yes,omitempty" format:"%.4f"`
	Least     *terminal.Number `json:"least,omitempty" format:"%.4g"`
	Greatest  *terminal.Number `json:"greatest,omitempty" format:"%.4g"`
	Top       *categories      `json:"categories,omitempty"`
}

// categories are those of an attribute, the most frequent first.
type categories []categoryDocuments

type categoryDocuments struct {
	Category  string `json:"category"`
	Documents uint64 `json:"documents"`
}

// String lists them.
func (c categories) String() string {
	var shown []string
	for _, v := range c {
		shown = append(shown, v.Category+" "+terminal.Grouped(v.Documents))
	}
	return strings.Join(shown, ", ")
}

// ListAttribute prints the distribution of one attribute in each class, with so many of its
// most frequent categories, 0 for all.
func ListAttribute(p *terminal.Streams, db *classify.Classifier, name string, values int) error {
	var list []classAttribute
	err := db.Store().View(func(s *store.Snapshot) error {
		all, err := s.Attributes()
		at := slices.IndexFunc(all, func(a *count.AttributeTotals) bool { return a.Name == name })
		switch {
		case err != nil:
			return err
		case at < 0:
			return fmt.Errorf("%s: no document was learned with an attribute %q; 'polya attributes' lists them", db.Store().Path(), name)
		}
		list, err = classAttributes(s, all[at], values)
		return err
	})
	if err != nil {
		return err
	}
	return terminal.List(p, list)
}

// classAttributes describes the attribute in each class that has it.
func classAttributes(s *store.Snapshot, a *count.AttributeTotals, most int) ([]classAttribute, error) {
	top := make([]categories, len(a.Classes))
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
		switch n := float64(cell.N); a.Kind {
		case count.Category:
			slices.SortStableFunc(top[c], func(a, b categoryDocuments) int { return cmp.Compare(b.Documents, a.Documents) })
			if most > 0 {
				top[c] = top[c][:min(most, len(top[c]))]
			}
			info.Top = &top[c]
		case count.YesNo:
			info.Yes = new(terminal.Number(float64(cell.Yes) / n))
		case count.Real:
			info.Mean, info.Deviation = new(terminal.Number(cell.Mean())), new(terminal.Number(math.Sqrt(cell.Deviations()/n)))
		case count.Uniform:
			info.Least, info.Greatest = new(terminal.Number(cell.Least)), new(terminal.Number(cell.Greatest))
		}
		list = append(list, info)
	}
	return list, nil
}
