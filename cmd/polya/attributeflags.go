package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/store"
)

// attributeFlags holds the flags that give documents attributes, or say of what kind
// theirs are.
type attributeFlags struct {
	attrs []string
	kinds []string
}

func (f *attributeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.attrs, "attr", nil, "give every document the attribute `NAME=VALUE`, or NAME:KIND=VALUE; may be\nrepeated. 'polya help values' says more")
	f.kindFlag(cmd)
}

// kindFlag adds --kind alone.
func (f *attributeFlags) kindFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.kinds, "kind", nil, "`NAME=KIND` of an attribute: category, yesno, real or uniform; may be\nrepeated")
}

// read reads the flags for db, or for a database yet to be made if that is nil.
func (f *attributeFlags) read(cmd *cobra.Command, db *store.DB) (*reading.Attributes, error) {
	a, err := reading.NewAttributes(f.kinds, f.attrs)
	if err != nil {
		return nil, misuse(cmd, "%w", err)
	}
	return a, a.MeetDatabase(db)
}
