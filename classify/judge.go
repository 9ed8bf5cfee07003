package classify

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
)

// judge gathers the scores that documents get without their own help.
type judge struct {
	s          *store.Snapshot
	t          Totals
	stacks     []Stack
	components []Component // all that the stacks have, each once
	at         [][]int     // by stack: where its components are
	levels     bool
	parts      []part // prepared for all documents
	left       []part // without the one that is judged
	infinite   []bool // by component: some score is not finite

	evidence Evidence
	labels   []int
	scores   [][]float64 // by document: components × classes
}

func newJudge(s *store.Snapshot, stacks []Stack, fits []Fit) *judge {
	j := &judge{s: s, t: totalsOf(s), stacks: stacks}
	for _, stack := range stacks {
		var at []int
		for _, c := range stack.Components {
			c.Model = withFits(c.Model, fits)
			k := slices.IndexFunc(j.components, func(o Component) bool {
				return o.Gamma == c.Gamma && o.Model.Name() == c.Model.Name()
			})
			if k < 0 {
				k = len(j.components)
				j.components = append(j.components, c)
				j.levels = j.levels || c.Model.Levels()
			}
			at = append(at, k)
		}
		j.at = append(j.at, at)
	}
	j.parts = prepareParts(j.components, j.t, true)
	j.left = make([]part, len(j.parts))
	j.infinite = make([]bool, len(j.components))
	return j
}

// totalsOf returns the totals of a snapshot.
func totalsOf(s *store.Snapshot) Totals {
	return Totals{Classes: s.Classes(), Documents: s.Documents(), Vocabulary: s.Vocabulary()}
}

// withDocuments is the number of classes that have documents.
func withDocuments(classes []*store.Class) int {
	n := 0
	for _, class := range classes {
		if class.Docs > 0 {
			n++
		}
	}
	return n
}

// judge scores doc as if it had never been learned. A document that cannot be
// judged, the only one of its class, or one that does not fit the counts, is
// passed over.
func (j *judge) judge(doc *store.Document) error {
	class := slices.IndexFunc(j.t.Classes, func(c *store.Class) bool { return c.Name == doc.Class })
	if class < 0 || j.t.Classes[class].Docs < 2 || len(doc.Terms) == 0 {
		return nil
	}
	e := &j.evidence
	e.terms = append(e.terms[:0], doc.Terms...)
	if err := e.look(j.s, j.levels); err != nil {
		return err
	}
	left, ok := leaveOut(j.t, e, class, doc)
	if !ok || len(e.Rows) == 0 {
		return nil
	}
	classes := len(j.t.Classes)
	scores := make([]float64, len(j.components)*classes)
	for i := range j.parts {
		j.left[i] = j.parts[i].without(left, class)
	}
	features(j.left, e, classes, scores)
	for i := range scores {
		if math.IsInf(scores[i], 0) || math.IsNaN(scores[i]) {
			j.infinite[i/classes] = true
		}
	}
	j.labels = append(j.labels, class)
	j.scores = append(j.scores, scores)
	return nil
}

// sample returns the scores of the components at the given places.
func (j *judge) sample(stack Stack, at []int) *sample {
	classes := len(j.t.Classes)
	s := &sample{
		classes: classes, parts: len(at), labels: j.labels,
		prior: scaled(logPrior(j.t), stack.PriorWeight), left: make([]float64, classes),
	}
	for c, class := range j.t.Classes {
		docs := float64(class.Docs)
		s.left[c] = stack.PriorWeight * math.Log(docs/(docs+1))
	}
	for _, all := range j.scores {
		row := make([]float64, 0, len(at)*classes)
		for _, m := range at {
			row = append(row, all[m*classes:(m+1)*classes]...)
		}
		s.scores = append(s.scores, row)
	}
	return s
}
