package main

import (
	"context"
	"os"

	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// repaired is what 'polya check --repair' says of a repair.
type repaired struct {
	Damaged   string   `json:"damaged"`
	Documents uint64   `json:"documents"`
	Rebuilt   []string `json:"rebuilt"`
	Lost      []string `json:"lost"`
	Missing   []string `json:"missing"`
}

// repair repairs the database of c.
func (p *program) repair(ctx context.Context, c *checked, o store.RepairOptions) error {
	size := int64(0)
	if info, err := os.Stat(c.Database); err == nil {
		size = info.Size()
	}
	patience := store.Options{Timeout: o.Timeout}
	if err := p.waiting.options(&patience); err != nil {
		return err
	}
	o.Timeout = patience.Timeout
	wait := p.NewWait("repairing", size)
	r, err := store.Repair(ctx, c.Database, o)
	wait.Done()
	if err != nil {
		return openError(c.Database, err)
	}
	if r.Damaged == "" { // somebody has put it right meanwhile
		c.Problems = []string{}
		return nil
	}
	c.Repaired = &repaired{Damaged: r.Damaged, Documents: r.Documents, Rebuilt: append([]string{}, r.Rebuilt...), Lost: append([]string{}, r.Lost...), Missing: []string{}}
	for _, id := range r.Missing {
		c.Repaired.Missing = append(c.Repaired.Missing, id.String())
	}
	return nil
}

// fewMissing is how many lost documents are named. JSON names all.
const fewMissing = 20

func (p *program) printRepaired(path string, r *repaired) {
	for _, line := range r.Rebuilt {
		p.Printf("made anew: %s\n", terminal.Printable(line))
	}
	for _, line := range r.Lost {
		p.Printf("lost: %s\n", terminal.Printable(line))
	}
	for i, id := range r.Missing {
		if i == fewMissing {
			p.Printf("lost: %s more; --json names them all\n", terminal.Counted(len(r.Missing)-i, "document", "documents"))
			break
		}
		p.Printf("lost: document %s\n", id)
	}
	p.Printf("%s: repaired, %s; the damaged file is %s\n", terminal.Printable(path), terminal.Counted(r.Documents, "document", "documents"), terminal.Printable(r.Damaged))
}
