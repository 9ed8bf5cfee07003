package count

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestTagSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tags []string
		set  string
	}{
		{nil, ","},
		{[]string{"travel", "family", "travel"}, ",family,travel"},
		{[]string{"a,b", "50%", "%2C"}, ",%252C,50%25,a%2Cb"},
		{[]string{"to do", "é"}, ",to do,é"},
	} {
		set, err := TagSet(c.tags...)
		if set != c.set || err != nil {
			t.Errorf("%q: %q, %v", c.tags, set, err)
		}
		want := slices.Compact(slices.Sorted(slices.Values(c.tags)))
		if got := Tags(set); !slices.Equal(got, want) || got == nil {
			t.Errorf("%q: %q", set, got)
		}
	}
	var many []string
	for i := range 20 {
		many = append(many, strings.Repeat(string(rune('a'+i)), MaxNameBytes))
	}
	for _, bad := range [][]string{{""}, {"a\nb"}, {"\xff"}, {strings.Repeat("a", MaxNameBytes+1)}, many} {
		if set, err := TagSet(bad...); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.40q: %.40q, %v", bad, set, err)
		}
	}
	for _, name := range []string{"", "ham", ",,", ",a,", ",b,a", ",a,a", ",%2c", ",%", ",a%2"} {
		if tags := Tags(name); tags != nil {
			t.Errorf("%q: %q", name, tags)
		}
	}
}

// What is read as a set is written as the same name, by TagSet if a new class can have it.
func FuzzTags(f *testing.F) {
	for _, s := range []string{",", ",a,b", ",%2C,%25", ",,", "ham", ",%25"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		tags := Tags(name)
		if tags == nil {
			return
		}
		set, err := TagSet(tags...)
		if set != name || (err == nil) != (CheckClass(name) == nil) || CheckClassName(name) != nil {
			t.Errorf("%q: %q, %v", name, set, err)
		}
	})
}
