package evaluation

import (
	"cmp"
	"context"
	"slices"
	"testing"
)

// The shares are those counted from the documents themselves, for fewer terms than are drawn and
// for more.
func TestPresenceIsCounted(t *testing.T) {
	for _, docs := range []int{9, 400} {
		c := sample(docs, true, "a", "b", "c")
		o := options()
		o.Presence = true
		r, err := HeldOut(context.Background(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Presence
		train, _ := c.split()
		n, have, all := make([]int, 3), make([][3]int, len(c.Terms)), make([]int, len(c.Terms))
		for _, i := range train {
			d := &c.Docs[i]
			n[d.Class]++
			for _, term := range d.Terms {
				have[term][d.Class]++
				all[term]++
			}
		}
		var order []int
		for term := range c.Terms {
			if all[term] > 0 {
				order = append(order, term)
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(all[b], all[a]), slices.Compare(c.Terms[a], c.Terms[b]))
		})
		if limit := min(len(order), presenceTerms); len(p.Share) != limit || (len(order) > limit) != (docs == 400) {
			t.Fatalf("%d terms, want %d of %d", len(p.Share), limit, len(order))
		}
		for k, term := range order[:len(p.Share)] {
			if want := float64(all[term]) / float64(len(train)); !close12(p.Share[k], want) {
				t.Errorf("term %d: share %v, want %v", k, p.Share[k], want)
			}
			for class, x := range p.Classes {
				if want := float64(have[term][class]) / float64(n[class]); !close12(x.Share[k], want) {
					t.Errorf("term %d of %s: %v, want %v", k, x.Class, x.Share[k], want)
				}
			}
		}
	}
}

func close12(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
