package eval

import (
	"cmp"
	"slices"
)

// Tagged sums up the answers of a classifier of tags, of which a document has any number. The
// zero value has no answers and is ready for use.
type Tagged struct {
	docs, exact int
	byTag       map[string]*TagCounts
}

// TagCounts are the answers about one tag.
type TagCounts struct {
	Tag string `json:"tag"`
	Counts
	LogLoss float64 `json:"log_loss"` // mean over all documents, in nats, clipped as ClippedLoss
}

// TagMeasures are scikit-learn's measures of label indicators with zero_division=0.
type TagMeasures struct {
	MicroF1   float64     `json:"micro_f1"`  // over all pairs of a document and a tag
	MacroF1   float64     `json:"macro_f1"`  // mean over the tags that some document has or was answered with
	Precision float64     `json:"precision"` // over all pairs
	Recall    float64     `json:"recall"`    // over all pairs
	Exact     float64     `json:"exact"`     // share of the documents answered with exactly their tags
	LogLoss   float64     `json:"log_loss"`  // mean of that of Tags
	Tags      []TagCounts `json:"tags"`      // by name
}

// Add adds a document that has some tags, was answered with those said, neither with repetitions,
// and has each tag with these probabilities, 0 where none is named.
func (t *Tagged) Add(has, said []string, probability map[string]float64) {
	t.docs++
	right := 0
	for _, tag := range has {
		c := t.tag(tag)
		c.Docs++
		c.LogLoss += clippedLoss(probability[tag])
		if slices.Contains(said, tag) {
			c.Right++
			right++
		}
	}
	for _, tag := range said {
		t.tag(tag).Said++
	}
	for tag, p := range probability {
		if c := t.tag(tag); !slices.Contains(has, tag) {
			c.LogLoss += clippedLoss(1 - p)
		}
	}
	if right == len(has) && right == len(said) {
		t.exact++
	}
}

func (t *Tagged) tag(name string) *TagCounts {
	if t.byTag == nil {
		t.byTag = make(map[string]*TagCounts)
	}
	if t.byTag[name] == nil {
		t.byTag[name] = &TagCounts{Tag: name}
	}
	return t.byTag[name]
}

// Measures returns the measures of the answers added; a measure whose denominator is 0 is 0.
func (t *Tagged) Measures() TagMeasures {
	m, all, some := TagMeasures{Exact: ratio(t.exact, t.docs), Tags: []TagCounts{}}, Counts{}, 0
	for _, c := range t.byTag {
		one := *c
		one.LogLoss /= float64(t.docs)
		m.Tags = append(m.Tags, one)
	}
	slices.SortFunc(m.Tags, func(a, b TagCounts) int { return cmp.Compare(a.Tag, b.Tag) })
	for _, c := range m.Tags {
		all.Docs, all.Said, all.Right = all.Docs+c.Docs, all.Said+c.Said, all.Right+c.Right
		m.LogLoss += c.LogLoss / float64(len(m.Tags))
		if c.Docs+c.Said > 0 {
			m.MacroF1 += c.F1()
			some++
		}
	}
	m.MicroF1, m.MacroF1 = all.F1(), m.MacroF1/float64(max(some, 1))
	m.Precision, m.Recall = all.Precision(), all.Recall()
	return m
}
