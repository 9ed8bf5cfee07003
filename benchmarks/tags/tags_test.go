package tags

import "testing"

// Counted by hand: a is right once and wrong once, b right once and missed once, c wrong once
// and no document's, d missed once.
func TestMeasure(t *testing.T) {
	t.Parallel()
	test := []document{{Tags: []string{"a", "b"}}, {Tags: []string{"b", "d"}}, {Tags: nil}}
	got := measure(test, [][]string{{"a", "b"}, {"a"}, {"c"}})
	want := measures{micro: 4. / 8, macro: (2./3 + 2./3 + 0) / 3, precision: 2. / 4, recall: 2. / 4}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
