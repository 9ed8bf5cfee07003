package classify

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/classify/internal/fit"
)

// shortlisted is the number of classes of which scores are kept for a document if there are
// more than fit.BiasClasses: its own and the most probable others. The rest together are
// next to impossible. So a sample of a thousand documents takes the same memory with any
// number of classes.
const shortlisted = fit.BiasClasses

// listed reports whether documents have shortlists.
func (loo *looScores) listed() bool { return withDocuments(loo.t.Classes) > fit.BiasClasses }

// shortlist returns the class of a document and the others of the greatest scores with the
// first stack, in ascending order, and their scores.
func (loo *looScores) shortlist(scores []float64, class int) (list []int, short []float64) {
	classes := len(loo.t.Classes)
	sums := make([]float64, classes)
	for k, w := range loo.stacks[0].Weights() {
		row := scores[loo.at[0][k]*classes:][:classes]
		for c, v := range row {
			sums[c] += w * v
		}
	}
	all := make([]int, 0, classes)
	for c, t := range loo.t.Classes {
		if t.Docs > 0 && c != class {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	list = append(all[:min(len(all), shortlisted-1)], class)
	slices.Sort(list)
	for m := range len(scores) / classes {
		for _, c := range list {
			short = append(short, scores[m*classes+c])
		}
	}
	return slices.Clone(list), short
}
