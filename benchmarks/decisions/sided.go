package decisions

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
)

// taughtSpams of all kinds are learned, and at most askedSided documents of each kind asked.
const taughtSpams, askedSided = 600, 300

// oneSided has kinds of ham, of which alone a filter learns so many: those with a field of
// this name and value.
var oneSided = []struct {
	name        string
	hams        int
	field, like string
}{
	{"all kinds", 600, "", ""},
	{"a list", 100, "List-Id", `fork\.xent`},
	{"lists", 100, "List-Id|List-Post|Mailing-List", ""},
	{"feeds of a domain", 100, "From", `@spamassassin\.taint\.org`},
	{"newsletters of a sender", 80, "From", `@newsletter\.online\.com`},
	{"a month", 100, "Date", "Jul 2002"},
	{"replies", 100, "Subject", "^re:"},
	{"50 of all kinds", 50, "", ""},
	{"20 of a list", 20, "List-Id", "ilug"},
}

// sided measures a filter that has learned hams of one kind and spam of all kinds, by its
// answers to hams of that kind, to other hams, and to spam.
func sided(all []document, draws int) {
	harness.Head("hams learned", "number", "hams alike yes/unsure/no", "other hams", "spams")
	for _, x := range oneSided {
		var of [3]harness.Tally
		for draw := range draws {
			by := byClass(all, uint64(draw))
			var alike, other []document
			for _, d := range by["ham"] {
				if value := field(d, x.field); value != nil && regexp.MustCompile("(?i)"+x.like).Match(value) {
					alike = append(alike, d)
				} else {
					other = append(other, d)
				}
			}
			hams, alike := must(alike, x.hams)
			spams, spamsLeft := must(by[spam], taughtSpams)
			c := learned(slices.Concat(hams, spams), decision.Filter{Positive: spam})
			for k, docs := range [][]document{alike, other, spamsLeft} {
				askAll(c, docs[:min(len(docs), askedSided)], &of[k])
			}
			c.Close()
		}
		harness.Row(x.name, x.hams, of[0], of[1], of[2])
	}
}

func askAll(c *classify.Classifier, docs []document, t *harness.Tally) {
	for _, d := range docs {
		r := harness.Classify(c, d.doc)
		t.Add(r.Class == spam, r.Unsure)
	}
}

// field returns the value of the first field of the header whose name matches, nil if there
// is none, and an empty one for no name.
func field(d document, name string) []byte {
	if name == "" {
		return []byte{}
	}
	head, _, _ := bytes.Cut(d.Raw, []byte("\n\n"))
	if m := regexp.MustCompile(`(?im)^(?:` + name + `):[ \t]*(.*)$`).FindSubmatch(head); m != nil {
		return m[1]
	}
	return nil
}
