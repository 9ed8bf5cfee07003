package statistics

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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
