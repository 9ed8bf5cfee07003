package statistics

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// keyChannels is the key of Channels in the state of a database.
const keyChannels = "channels"

// Texts of fewer terms are short: channels were measured to pay for these (messages and
// sentences of 15 to 25), and not for mail and articles of 200 and more. Fewer documents than
// manyShort tell little of whether they pay.
const (
	shortText = 64
	manyShort = 1000
)

// Channels says what channels would have brought to a database.
type Channels struct {
	Analyzer  string    `json:"analyzer"` // of the database when it was measured
	Documents int       `json:"documents"`
	Learned   uint64    `json:"learned"`        // of so many
	Measured  []Channel `json:"measured"`       // as the database is, then others, from the smallest file
	Best      string    `json:"best,omitempty"` // the list that pays, if one does
}

// Channel is what answers are like with a list of channels, each about a document that was not
// learned before.
type Channel struct {
	List  string  `json:"channel"` // "" as the database has them
	Error float64 `json:"error"`
	Loss  float64 `json:"log_loss"` // in nats
	Size  int64   `json:"size"`     // of a database of these documents, in bytes
}

// Keep keeps c in the database.
func (c *Channels) Keep(db *store.DB) error {
	data, err := json.Marshal(c)
	if err == nil {
		err = db.PutState(map[string][]byte{keyChannels: data})
	}
	return err
}

// channelsIn returns what Keep has kept of the analyzer that the database has, or nil.
func channelsIn(s *store.Snapshot, analyzer string) *Channels {
	c := new(Channels)
	if json.Unmarshal(s.State(keyChannels), c) != nil || c.Analyzer != analyzer || len(c.Measured) == 0 {
		return nil
	}
	return c
}

// Print prints what was measured, and what to do.
func (c *Channels) Print(p *terminal.Streams) error {
	t := terminal.Table{Numeric: []bool{false, true, true, true}}
	t.Add("channel", "error %", "log loss", "file ×")
	for _, m := range c.Measured {
		t.Add(cmp.Or(m.List, "(as it is)"), fmt.Sprintf("%.2f", 100*m.Error), Loss(m.Loss), fmt.Sprintf("%.1f", c.growth(&m)))
	}
	if err := t.Write(p.Stdout); err != nil {
		return err
	}
	p.Printf("\n%s\n", c)
	return nil
}

func (c *Channels) growth(m *Channel) float64 { return float64(m.Size) / float64(c.Measured[0].Size) }

// String says which channels pay, and how to get them.
func (c *Channels) String() string {
	by := fmt.Sprintf("%s of %s", terminal.Grouped(c.Documents), terminal.Counted(c.Learned, "document", "documents"))
	for _, m := range c.Measured[1:] {
		if m.List == c.Best {
			return fmt.Sprintf("'polya retrain --channel %s PATH…': error %.1f → %.1f %%, file × %.1f (by %s)",
				terminal.Printable(m.List), 100*c.Measured[0].Error, 100*m.Error, c.growth(&m), by)
		}
	}
	return "no other pays (by " + by + ")"
}

// channelsLine says whether other channels pay; "" where that is not known and improbable.
func (i *Summary) channelsLine() string {
	if i.Channels != nil {
		return i.Channels.String()
	}
	tokens := uint64(0)
	for _, c := range i.Classes {
		tokens += c.Tokens
	}
	if i.Documents < manyShort || tokens >= shortText*i.Documents || strings.Contains(i.Analyzer, " channel=") {
		return ""
	}
	return fmt.Sprintf("'polya retrain PATH…' measures whether others pay for such short texts (%d terms)", tokens/i.Documents)
}
