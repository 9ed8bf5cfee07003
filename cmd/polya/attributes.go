package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func attributesCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "attributes",
		Short:   "print the attributes of documents and what they tell",
		Example: "    polya attributes --json",
		Args:    command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.With(classify.Options{Store: store.Options{ReadOnly: true}}, func(db *classify.Classifier) error {
				all, err := db.Attributes(cmd.Context())
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
				return terminal.List(p.Streams, list)
			})
		},
	}
	p.JSONFlag(cmd)
	return cmd
}

// attributeInfo is the output of 'polya attributes' for an attribute.
type attributeInfo struct {
	Attribute string           `json:"attribute"`
	Kind      string           `json:"kind"`
	Documents uint64           `json:"documents"`
	Values    uint64           `json:"values,omitempty"` // of a category or uniform
	Alike     terminal.Number  `json:"alike" format:"%.3f"`
	Weight    *terminal.Number `json:"weight,omitempty" format:"%.3f"`
}
