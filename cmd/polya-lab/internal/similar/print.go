package similar

import (
	"cmp"
	"strconv"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// candidate is a document that was compared with the set.
type candidate struct {
	Path      string          `json:"path"`
	Exact     string          `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Class     string          `json:"class,omitempty"`       // from the source
	Score     terminal.Number `json:"score"`
	LogRatio  terminal.Number `json:"log_ratio"`
	Terms     int             `json:"terms"`
	Strongest []similarTerm   `json:"strongest,omitempty"`

	rank float64
}

type similarTerm struct {
	Term   string          `json:"term"`
	Count  int             `json:"count"`
	Weight terminal.Number `json:"weight"`
}

// before orders the best first.
func (c *candidate) before(o *candidate) int { return cmp.Compare(o.rank, c.rank) }

// print prints the best candidates, the best first.
func (s *Search) print(to *terminal.Streams) error {
	list := s.best.First()
	if s.JSON {
		return terminal.EachJSON(to, list)
	}
	for _, c := range list {
		to.Printf("%s", c.line(s.Terms > 0))
	}
	return nil
}

func (c *candidate) line(terms bool) string {
	b := strconv.AppendFloat(nil, float64(c.Score), 'f', 4, 64)
	b = append(b, '\t')
	b = strconv.AppendFloat(b, float64(c.LogRatio), 'f', 2, 64)
	b = append(b, '\t')
	b = append(b, terminal.Printable(c.Path)...)
	if terms {
		b = append(b, '\t')
	}
	for i, t := range c.Strongest {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, terminal.Printable(t.Term)...)
		b = append(b, '(')
		b = append(b, terminal.Signed(float64(t.Weight))...)
		b = append(b, ')')
	}
	return string(append(b, '\n'))
}
