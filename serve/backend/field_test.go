package backend

import (
	"slices"
	"testing"
)

func TestTags(t *testing.T) {
	t.Parallel()
	for class, want := range map[string][]string{
		",": nil, "": nil, "a, b": {"a", "b"}, " b,,a": {"b", "a"}, "50%": {"50%"}, "a%2Cb": {"a,b"}, "%252C": {"%2C"}, "%2525": {"%25"}, "%%2C, %2525%2C": {"%,", "%25,"},
	} {
		if got := Tags(class); !slices.Equal(got, want) {
			t.Errorf("%q states %q, not %q", class, got, want)
		}
		if got := Tags(ClassOf(want)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%q are %q", want, got)
		}
	}
	if got := ClassOf([]string{"travel", "family", "travel"}); got != "family, travel" {
		t.Error(got)
	}
}
