package tags

import (
	"math"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
)

// confidence is the confidence that answers above a cut reach the target precision. With
// .95 a tag would need 59 examples without a mistake before it speaks, with .8 it needs
// 32.
const confidence = 0.8

// Info describes the tags of a database.
type Info struct {
	Documents  uint64    // learned, with tags or without
	Calibrated uint64    // documents at the last calibration, 0 if there was none
	Precision  float64   // the target precision
	Tags       []TagInfo // in order of name
}

// TagInfo describes one tag.
type TagInfo struct {
	Tag       string `json:"tag"`
	Documents uint64 `json:"documents"`

	// Speaks reports whether the tag is ever given, and From the probability above which it is. Right
	// and Wrong count the leave-one-out answers above From, and Judged the scored documents of
	// the tag, Right of which were found.
	Speaks bool     `json:"speaks"`
	From   *float64 `json:"from,omitempty"`
	Right  int      `json:"right"`
	Wrong  int      `json:"wrong"`
	Judged int      `json:"judged"`

	// Needed is the approximate number of further examples that a silent tag needs if they resemble
	// its present ones: 0 if it speaks, nil if it has enough examples but too many mistakes.
	Needed *int `json:"needed,omitempty"`
}

// Info describes the tags of the database.
func (t *Tagger) Info() (info Info, err error) {
	err = t.c.Store().View(func(s *store.Snapshot) error {
		p := t.prepare(s)
		fit := p.fit
		info = Info{Documents: p.Documents, Precision: t.precision, Tags: []TagInfo{}}
		if fit != nil {
			info.Calibrated = fit.Documents
		}
		for _, class := range p.Classes {
			one := TagInfo{Tag: class.Name, Documents: class.Docs}
			one.Needed = new(max(1, numeric.LeastSample(1-t.precision, confidence)-int(class.Docs)))
			if at := fit.At(class.Name); at >= 0 {
				one.set(&fit.Models[at], fit.Documents, t.precision)
			}
			info.Tags = append(info.Tags, one)
		}
		return nil
	})
	return info, err
}

func (i *TagInfo) set(m *calibration.Model, documents uint64, precision float64) {
	i.Judged = m.Tails[0].Own
	best, ok := bestCut(m, documents, precision)
	if ok {
		i.Speaks, i.From, i.Right, i.Wrong, i.Needed = true, new(numeric.Logistic(best.logOdds)), best.right, best.wrong, new(0)
		return
	}
	n := needed(m, documents, precision)
	if least := *i.Needed; least > 1 {
		n = max(n, least) // too few examples to conclude that it is often wrong
	}
	if i.Needed = &n; n < 0 {
		i.Needed = nil
	}
}

// cut is a threshold on the log-odds with the answers above it.
type cut struct {
	logOdds      float64
	right, wrong int
}

// cuts returns the known thresholds, from the highest log-odds to the lowest, and the
// allowed rate of wrong answers for the precision: it is smaller in a sample in which the
// tag is overrepresented.
func cuts(m *calibration.Model, documents uint64, precision float64) (list []cut, rate float64) {
	tail := m.Tails[0]
	if tail.Own == 0 || tail.Documents == 0 || m.Documents == 0 || documents <= m.Documents {
		return nil, 0
	}
	more := float64(tail.Own) / float64(m.Documents) * float64(documents-m.Documents) / float64(tail.Documents)
	rate = 1 / (1 + max(more, 1)*precision/(1-precision))
	for i := range tail.Ranks {
		list = append(list, cut{float64(tail.LogOdds[i]), tail.Caught[i], tail.Ranks[i]})
	}
	return list, rate
}

// bestCut returns the lowest cut above which answers reach the precision.
func bestCut(m *calibration.Model, documents uint64, precision float64) (best cut, ok bool) {
	list, rate := cuts(m, documents, precision)
	for _, c := range list {
		if (!ok || c.logOdds < best.logOdds) && c.right > 0 && c.wrong <= numeric.Exceeding(c.right+c.wrong, rate, confidence) {
			best, ok = c, true
		}
	}
	return best, ok
}

// needed returns how many more documents a tag would need for a cut, if right and wrong
// answers grew in proportion, or -1.
func needed(m *calibration.Model, documents uint64, precision float64) int {
	const most = 1000
	list, rate := cuts(m, documents, precision)
	best := math.Inf(1)
	for _, c := range list {
		n := c.right + c.wrong
		if c.right == 0 || float64(c.wrong) >= rate*float64(n) {
			continue
		}
		for times := 1.0; times < min(best, most); times *= 1.05 {
			if int(math.Round(times*float64(c.wrong))) <= numeric.Exceeding(int(times*float64(n)), rate, confidence) {
				best = times
			}
		}
	}
	if math.IsInf(best, 1) {
		return -1
	}
	return max(1, int(math.Ceil((best-1)*float64(m.Documents))))
}
