package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

func infoCommand(p *program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "say what the database holds",
		Long:    "Say which database is meant, how it was made, and what it holds.",
		Example: "    polya info --db work.polya",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := p.readInfo()
			if err != nil {
				return err
			}
			if asJSON {
				return p.encodeJSON(i)
			}
			return p.printInfo(i)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// info is what 'polya info' says.
type info struct {
	Database   string      `json:"database"`
	Size       int64       `json:"size"`
	Format     int         `json:"format"`
	Analyzer   string      `json:"analyzer"`
	Ledger     string      `json:"ledger"`
	Documents  uint64      `json:"documents"`
	Vocabulary uint64      `json:"vocabulary"`
	Classes    []classInfo `json:"classes"`
}

type classInfo struct {
	Class     string `json:"class"`
	Documents uint64 `json:"documents"`
	Tokens    uint64 `json:"tokens"`
	Terms     uint64 `json:"terms"`
}

// formatVersion is the version of the file format: the only one there is, as a
// file of another is not opened.
const formatVersion = 1

func (p *program) readInfo() (*info, error) {
	c, err := p.openRead(classify.Options{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	db := c.Store()
	i := &info{Database: db.Path(), Format: formatVersion, Analyzer: db.Analyzer(), Ledger: db.Ledger().String()}
	if i.Size, err = db.Size(); err != nil {
		return nil, err
	}
	err = db.View(func(s *store.Snapshot) error {
		i.Documents, i.Vocabulary = s.Documents(), s.Vocabulary()
		i.Classes = classInfos(s)
		return nil
	})
	return i, err
}

func classInfos(s *store.Snapshot) []classInfo {
	infos := []classInfo{}
	for _, c := range s.Classes() {
		infos = append(infos, classInfo{c.Name, c.Docs, c.Tokens, c.Terms})
	}
	return infos
}

func (p *program) printInfo(i *info) error {
	if p.quiet {
		return nil
	}
	var head table
	head.add("database", printable(i.Database))
	head.add("size", fmt.Sprintf("%s bytes", grouped(i.Size)))
	head.add("format", fmt.Sprint(i.Format))
	head.add("analyzer", printable(i.Analyzer))
	head.add("ledger", i.Ledger)
	head.add("documents", grouped(i.Documents))
	head.add("vocabulary", grouped(i.Vocabulary))
	if err := head.write(p.stdout); err != nil {
		return err
	}
	p.printf("\n")
	return p.printClasses(i.Classes)
}

// printClasses prints a table of classes.
func (p *program) printClasses(classes []classInfo) error {
	t := table{numeric: []bool{false, true, true, true}}
	t.add("class", "documents", "tokens", "terms")
	for _, c := range classes {
		t.add(printable(c.Class), grouped(c.Documents), grouped(c.Tokens), grouped(c.Terms))
	}
	return t.write(p.stdout)
}
