package eval

import (
	"slices"
	"testing"
)

func TestLogSizes(t *testing.T) {
	for _, test := range []struct {
		first, last, perDecade int
		want                   []int
	}{
		{10, 1000, 3, []int{10, 22, 46, 100, 215, 464, 1000}},
		{10, 1234, 1, []int{10, 100, 1000, 1234}},
		{1, 10, 10, []int{1, 2, 3, 4, 5, 6, 8, 10}},
		{10, 10, 3, []int{10}},
		{10, 3, 3, []int{3}},
		{10, 0, 3, nil},
	} {
		if got := LogSizes(test.first, test.last, test.perDecade); !slices.Equal(got, test.want) {
			t.Errorf("%d to %d, %d a decade: %v, want %v", test.first, test.last, test.perDecade, got, test.want)
		}
	}
}
