package evaluation

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// The sample on which channels are measured has so many documents at most, and fewer if they
// would have more words than that: with grams it then takes some hundred MB.
const (
	sampledDocuments = 4096
	sampledTokens    = 1 << 19
)

// leastSampled is the number of documents with which a channel that pays can be told from
// chance.
const leastSampled = 200

// channelFolds is the number of folds, so that three quarters of the sample are learned.
const channelFolds = 4

// worth is the share of the errors that must go for each doubling of the file. It keeps out
// gains on the sample that are true and small, and would be smaller with all documents learned.
const worth = .05

// channelLists are the values of channel= that are tried.
var channelLists = []string{"pairs", "grams", "pairs,grams"}

// Channels measures by a sample of learned documents whether other channels than those of
// their database pay.
type Channels struct {
	Learned  uint64    `json:"learned"`   // documents in the database
	Sampled  int       `json:"documents"` // of them in the sample
	Measured []channel `json:"measured"`  // as the database is, then others, from the smallest file
	Best     string    `json:"best,omitempty"`
	Analyzer string    `json:"analyzer"` // of the database

	to    *terminal.Streams
	last  uint64 // documents are in the sample up to this beginning of their ids, which are digests
	added map[count.DocID]bool
	tried []tried
}

// channel is what answers are like with a list of channels, each about a document that was not
// learned before.
type channel struct {
	List  string  `json:"channel"` // "" as the database has them
	Error float64 `json:"error"`
	Loss  float64 `json:"log_loss"` // in nats
	Size  int64   `json:"size"`     // of a database of these documents, in bytes
}

type tried struct {
	list     string
	analyzer *tokenize.Analyzer
	corpus   *Corpus
	report   *Report
}

// NewChannels returns a measurement for a database of classes.
func NewChannels(to *terminal.Streams, c *classify.Classifier) (*Channels, error) {
	classes, err := c.Classes()
	if err != nil {
		return nil, err
	}
	m := &Channels{Analyzer: c.Analyzer().Spec(), to: to, added: map[count.DocID]bool{}, tried: []tried{{"", c.Analyzer(), new(Corpus), nil}}}
	tokens := uint64(0)
	for _, class := range classes {
		m.Learned, tokens = m.Learned+class.Docs, tokens+class.Tokens
	}
	share := min(1, sampledDocuments/float64(m.Learned), sampledTokens/float64(tokens))
	if m.last = math.MaxUint64; share < 1 {
		m.last = uint64(share * (1 << 63) * 2)
	}
	for _, list := range channelLists {
		spec, err := c.Analyzer().WithChannel(list)
		if err != nil {
			return nil, err
		}
		a, err := tokenize.New(spec)
		if err != nil {
			return nil, err
		}
		if spec != m.Analyzer {
			m.tried = append(m.tried, tried{list, a, new(Corpus), nil})
		}
	}
	return m, nil
}

// Add adds a document, which was learned as class, if it is of the sample.
func (m *Channels) Add(d *reading.Document, class string) {
	if binary.BigEndian.Uint64(d.ID[:]) > m.last || m.added[d.ID] {
		return
	}
	m.added[d.ID] = true
	for i := range m.tried {
		if i > 0 {
			d.Count(m.tried[i].analyzer)
		}
		m.tried[i].corpus.Add(Doc{Path: d.ID.String(), ID: d.ID}, class, &d.Bag, d.Attributes)
	}
}

// Measure learns and classifies the sample with each list of channels, with so many jobs, and sets
// the exported fields. A list must pay over those with smaller files: by more than chance, and as worth
// says.
func (m *Channels) Measure(ctx context.Context, jobs int) error {
	if m.Sampled = len(m.added); m.Sampled < leastSampled {
		return fmt.Errorf("%s of those that were learned are there, and to compare channels takes %d", terminal.Counted(m.Sampled, "document", "documents"), leastSampled)
	}
	now := len(m.tried[0].corpus.Terms)
	m.tried = slices.DeleteFunc(m.tried, func(t tried) bool { // of documents without a text
		return t.list != "" && len(t.corpus.Terms) == now
	})
	for i := range m.tried {
		if err := m.tried[i].measure(ctx, m.to, jobs); err != nil {
			return plainError(err)
		}
	}
	slices.SortStableFunc(m.tried[1:], func(a, b tried) int { return cmp.Compare(a.report.Size, b.report.Size) })
	best := 0
	for i := range m.tried {
		r := m.tried[i].report
		c := channel{m.tried[i].list, 1 - float64(r.Models[0].Accuracy.Value), float64(r.Models[0].LogLoss.Value), r.Size}
		m.Measured = append(m.Measured, c)
		if b := &m.Measured[best]; r.paysOver(m.tried[best].report) && c.Error <= b.Error*(1-worth*math.Log2(float64(c.Size)/float64(b.Size))) {
			best = i
		}
	}
	m.Best = m.Measured[best].List
	return nil
}

// Print prints what was measured, and what to do.
func (m *Channels) Print() error {
	t := terminal.Table{Numeric: []bool{false, true, true, true}}
	t.Add("channel", "error %", "log loss", "file ×")
	does, first := "no other pays", m.Measured[0]
	for _, c := range m.Measured {
		growth := float64(c.Size) / float64(first.Size)
		t.Add(cmp.Or(c.List, "(as it is)"), fmt.Sprintf("%.2f", 100*c.Error), statistics.Loss(c.Loss), fmt.Sprintf("%.1f", growth))
		if m.Best != "" && c.List == m.Best {
			does = fmt.Sprintf("'polya retrain --channel %s PATH…': error %.1f → %.1f %%, file × %.1f", c.List, 100*first.Error, 100*c.Error, growth)
		}
	}
	err := t.Write(m.to.Stdout)
	m.to.Printf("\n%s (by %s of %s)\n", does, terminal.Grouped(m.Sampled), terminal.Counted(m.Learned, "document", "documents"))
	return err
}

func (t *tried) measure(ctx context.Context, to *terminal.Streams, jobs int) (err error) {
	name := cmp.Or(t.list, "as it is")
	o := Options{
		Models: []classify.Model{classify.Auto{}}, Analyzer: t.analyzer.Spec(), Folds: channelFolds, Seed: 1, Jobs: jobs,
		Progress: func(stage string, steps int) *terminal.Bar { return stageBar(to, name+": "+stage, steps) },
	}
	t.report, err = Folds(ctx, t.corpus, o)
	t.corpus = nil // the next takes as much memory
	return err
}
