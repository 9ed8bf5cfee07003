package classify

import (
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store/count"
)

// A calibration is due for a class that has doubled, and grown by 10 documents or more,
// if all changes together pay for the sample.
func TestClassGrown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		last, docs uint64 // of the class
		other      uint64 // of another, which had 1,000
		sample     int
		want       bool
	}{
		{last: 100, docs: 199, other: 1000, sample: 100}, // it has not doubled
		{last: 100, docs: 200, other: 1000, sample: 100, want: true},
		{last: 100, docs: 10, other: 1000, sample: 100}, // it has shrunk
		{last: 4, docs: 13, other: 1000, sample: 100},   // by 9
		{last: 4, docs: 14, other: 1000, sample: 100, want: true},
		{last: 0, docs: 10, other: 1000, sample: 100, want: true},
		{last: 4, docs: 14, other: 1000, sample: 201}, // 10 documents pay for 200
		{last: 0, docs: 9, other: 1000, sample: 201},
		{last: 0, docs: 10, other: 1000, sample: 201, want: true}, // a class that is new
		{last: 4, docs: 14, other: 999, sample: 201, want: true},
		{last: 10, docs: 10, other: 1999, sample: 1},
		{last: 10, docs: 10, other: 2000, sample: 1, want: true},
	} {
		k := &calibration.Calibration{Sample: test.sample, Learned: map[count.ClassID]uint64{1: test.last, 2: 1000}}
		classes := []*count.Class{{ID: 1, Docs: test.docs}, {ID: 2, Docs: test.other}}
		if got := outgrown(k, 0, classes, 1, func(class *count.Class) uint64 { return k.Learned[class.ID] }); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
