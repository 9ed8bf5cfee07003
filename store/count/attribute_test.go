package count

import (
	"errors"
	"testing"
)

// The value of an attribute says its kind, and a value of no kind is refused.
func TestAttributeOf(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]Attribute{
		"mon": {Name: "x", Kind: Category, Category: "mon"},
		true:  {Name: "x", Kind: YesNo, Number: 1},
		false: {Name: "x", Kind: YesNo},
		1.5:   {Name: "x", Kind: Real, Number: 1.5},
	} {
		if got := AttributeOf("x", value); got != want || got.Check() != nil {
			t.Errorf("%v: %+v, %v; want %+v", value, got, got.Check(), want)
		}
	}
	for _, value := range []any{nil, 1, []string{"a"}} {
		if got := AttributeOf("x", value); !errors.Is(got.Check(), ErrInvalid) {
			t.Errorf("%v: %+v, %v", value, got, got.Check())
		}
	}
}
