package decisions

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
)

// side is what is learned of a class: at most so many documents of the kind.
type side struct {
	most int
	kind func(d document) bool // nil for all
}

// sided are lessons of one side.
type sided struct {
	name      string
	ham, spam side
}

// oneSided measures a filter that has learned only one kind of a class, or few documents of
// it, by its answers to the same kind and to other documents of the class.
func oneSided(_ context.Context, args []string) {
	f := harness.Flags("decisions sided [flags] CORPUS (with the folders ham and spam)")
	draws := f.Int("draws", 2, "how often documents are drawn")
	all := read(harness.Folders(harness.Parse(f, args, 1, 1)[0]))
	harness.Head("learned", "draw", "number", "hams alike yes/unsure/no", "other hams", "spams alike", "other spams")
	for _, x := range oneSidedCases(all) {
		for draw := range *draws {
			by := byClass(all, uint64(draw))
			hams, hamsAlike, hamsOther := x.ham.split(by["ham"])
			spams, spamsAlike, spamsOther := x.spam.split(by[spam])
			c := learned(slices.Concat(hams, spams), filterSpam)
			harness.Row(x.name, draw, fmt.Sprintf("%d + %d", len(hams), len(spams)), asked(c, hamsAlike), asked(c, hamsOther), asked(c, spamsAlike), asked(c, spamsOther))
			c.Close()
		}
	}
}

// askedSided is how many documents of each kind are asked.
const askedSided = 300

// split returns what is learned, and what is asked of the same kind and of all others.
func (s side) split(docs []document) (learn, alike, other []document) {
	for _, d := range docs {
		switch {
		case s.kind != nil && !s.kind(d):
			other = append(other, d)
		case len(learn) < s.most:
			learn = append(learn, d)
		default:
			alike = append(alike, d)
		}
	}
	return learn, alike[:min(len(alike), askedSided)], other[:min(len(other), askedSided)]
}

func asked(c *classify.Classifier, docs []document) (t harness.Tally) {
	for _, d := range docs {
		r := harness.Classify(c, d.doc)
		t.Add(r.Class == spam, r.Unsure)
	}
	return t
}

func oneSidedCases(all []document) []sided {
	any := func(n int) side { return side{n, nil} }
	listed := func(d document) bool { return field(d, `List-Id|List-Post|Mailing-List`) != "" }
	return []sided{
		{"both of all kinds", any(600), any(600)},
		{"hams of one list", side{100, func(d document) bool { return strings.Contains(field(d, "List-Id"), "fork.xent") }}, any(600)},
		{"hams of lists", side{100, listed}, any(600)},
		{"hams without lists", side{100, func(d document) bool { return !listed(d) }}, any(600)},
		{"hams of one sender's domain", side{100, func(d document) bool { return strings.Contains(field(d, "From"), "@spamassassin.taint.org") }}, any(600)},
		{"hams of another domain", side{100, func(d document) bool { return strings.Contains(field(d, "From"), "@newsletter.online.com") }}, any(600)},
		{"hams of one month", side{100, func(d document) bool { return strings.Contains(field(d, "Date"), "Jul 2002") }}, any(600)},
		{"replies", side{100, func(d document) bool { return strings.HasPrefix(strings.ToLower(field(d, "Subject")), "re:") }}, any(600)},
		{"50 rescues of 2,000 spams", any(50), any(1700)},
		{"20 rescues of one list", side{20, func(d document) bool { return strings.Contains(field(d, "List-Id"), "ilug") }}, any(600)},
		{"one campaign of spam", any(600), side{60, campaign(all)}},
		{"spam of lists", any(600), side{100, listed}},
		{"93 of one list, 7 others", side{100, mixed("fork.xent")}, any(600)},
	}
}

func mixed(list string) func(d document) bool {
	n := 0
	return func(d document) bool {
		if strings.Contains(field(d, "List-Id"), list) {
			return true
		}
		n++
		return n%40 == 0
	}
}

// campaign returns whether a spam has the most words in common with one.
func campaign(all []document) func(d document) bool {
	spams := harness.Shuffled(slices.DeleteFunc(slices.Clone(all), func(d document) bool { return d.Class != spam }), 3)
	have := func(d document) map[string]bool {
		m := map[string]bool{}
		for _, w := range words.FindAll(bytes.ToLower(d.Raw), -1) {
			m[string(w)] = true
		}
		return m
	}
	one := have(spams[0])
	likeness := map[string]float64{}
	for _, d := range spams {
		n, w := 0, have(d)
		for k := range w {
			if one[k] {
				n++
			}
		}
		likeness[d.Path] = float64(n) / float64(len(one)+len(w)-n)
	}
	slices.SortFunc(spams, func(a, b document) int { return cmp.Compare(likeness[b.Path], likeness[a.Path]) })
	least := likeness[spams[100].Path]
	return func(d document) bool { return likeness[d.Path] > least }
}

// field returns the value of the first field of the header whose name matches.
func field(d document, name string) string {
	head, _, _ := bytes.Cut(d.Raw, []byte("\n\n"))
	if m := regexp.MustCompile(`(?im)^(?:` + name + `):[ \t]*(.*)$`).FindSubmatch(head); m != nil {
		return string(m[1])
	}
	return ""
}
