package eval

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The orders were printed by Python:
//
//	import hashlib, struct
//	for s in 0, 1:
//	    h = lambda i: hashlib.sha256(struct.pack(">Q", s) + i.encode()).digest()[:8]
//	    print("".join(sorted("abcdefghij", key=h)))
func TestOrder(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	for seed, want := range []string{"jbhcfiegad", "fgacebijhd"} {
		var got string
		for _, i := range Order(ids, uint64(seed)) {
			got += ids[i]
		}
		if got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
	}
	if got := Order(nil, 1); len(got) != 0 {
		t.Errorf("order of nothing is %v", got)
	}
	if got := Order([]string{"x", "x", "x"}, 1); !slices.IsSorted(got) {
		t.Errorf("order of equal ids is %v", got)
	}
}

// drawDocuments draws ids, all different, and classes.
func drawDocuments(t *rapid.T) (ids, classes []string) {
	ids = rapid.SliceOfNDistinct(rapid.String(), 0, 60, rapid.ID[string]).Draw(t, "ids")
	for range ids {
		classes = append(classes, rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "class"))
	}
	return ids, classes
}

func TestOrderIsFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids, _ := drawDocuments(t)
		seed := rapid.Uint64().Draw(t, "seed")
		shuffled := rapid.Permutation(ids).Draw(t, "shuffled")
		ordered := func(ids []string) (out []string) {
			for _, i := range Order(ids, seed) {
				out = append(out, ids[i])
			}
			return out
		}
		first := ordered(ids)
		if again := ordered(shuffled); !slices.Equal(first, again) {
			t.Fatalf("%q and %q", first, again)
		}
		// The others do not matter either.
		if n := len(ids) / 2; n > 0 {
			some := ordered(ids[:n])
			rest := slices.DeleteFunc(first, func(id string) bool { return !slices.Contains(ids[:n], id) })
			if !slices.Equal(some, rest) {
				t.Fatalf("%q and %q", some, rest)
			}
		}
	})
}

func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids, classes := drawDocuments(t)
		k, seed := rapid.IntRange(2, 12).Draw(t, "k"), rapid.Uint64().Draw(t, "seed")
		folds := Folds(ids, classes, k, seed)
		sizes := map[string][]int{"": make([]int, k), "x": make([]int, k), "y": make([]int, k), "z": make([]int, k)}
		byID := make(map[string]int)
		for i, fold := range folds {
			sizes[""][fold]++
			sizes[classes[i]][fold]++
			byID[ids[i]] = fold
		}
		for class, n := range sizes {
			if slices.Max(n)-slices.Min(n) > 1 {
				t.Fatalf("class %q has folds of %v", class, n)
			}
		}
		// The same folds when the documents come in another order.
		order := rapid.Permutation(indices(len(ids))).Draw(t, "order")
		var otherIDs, otherClasses []string
		for _, i := range order {
			otherIDs, otherClasses = append(otherIDs, ids[i]), append(otherClasses, classes[i])
		}
		for i, fold := range Folds(otherIDs, otherClasses, k, seed) {
			if byID[otherIDs[i]] != fold {
				t.Fatalf("document %q moved to fold %d", otherIDs[i], fold)
			}
		}
	})
}

func TestFoldsSeed(t *testing.T) {
	ids, classes := make([]string, 100), make([]int, 100)
	for i := range ids {
		ids[i], classes[i] = fmt.Sprint(i), i%3
	}
	if slices.Equal(Folds(ids, classes, 10, 1), Folds(ids, classes, 10, 2)) {
		t.Error("the seed does not matter")
	}
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
