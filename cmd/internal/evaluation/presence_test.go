package evaluation

import (
	"cmp"
	"context"
	"slices"
	"testing"
)

// The shares are those counted from the documents themselves, for fewer terms than there
// are columns and for more.
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
		if p.Terms != len(order) || (p.Terms > presenceColumns) != (docs == 400) {
			t.Fatalf("%d terms, want %d", p.Terms, len(order))
		}
		next := 1
		for k, column := range p.Columns {
			if column.First != next || column.Last < column.First {
				t.Fatalf("column %d is %d to %d, want it to begin with %d", k, column.First, column.Last, next)
			}
			next = column.Last + 1
			terms := order[column.First-1 : column.Last]
			sum := 0
			for _, term := range terms {
				sum += all[term]
			}
			if want := float64(sum) / float64(len(terms)) / float64(len(train)); !close12(column.Share, want) {
				t.Errorf("column %d: share %v, want %v", k, column.Share, want)
			}
			for class := range p.Classes {
				greatest := 0
				for _, term := range terms {
					greatest = max(greatest, have[term][class])
				}
				if x := p.Classes[class]; !close12(x.Greatest[k], float64(greatest)/float64(n[class])) {
					t.Errorf("column %d of %s: %v", k, x.Class, x.Greatest[k])
				}
			}
		}
		if next != len(order)+1 || len(p.Columns) > presenceColumns {
			t.Errorf("%d columns end with term %d of %d", len(p.Columns), next-1, len(order))
		}
	}
}

func close12(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }
