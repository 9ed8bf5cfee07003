package classify

import (
	"fmt"

	"github.com/polya-classifier/polya/store/count"
)

// Attribute returns the attribute of that name with the kind of the value: a string is a
// category, a bool yes or no, and a float64 or an int a real number. For a uniform, fill
// in a count.Attribute. The error, which wraps count.ErrInvalid, is for a value of
// another type or one that cannot be counted; see count.Attribute.Check.
func Attribute(name string, value any) (count.Attribute, error) {
	a := count.Attribute{Name: name}
	switch v := value.(type) {
	case string:
		a.Kind, a.Category = count.Category, v
	case bool:
		a.Kind = count.YesNo
		if v {
			a.Number = 1
		}
	case float64:
		a.Kind, a.Number = count.Real, v
	case int:
		a.Kind, a.Number = count.Real, float64(v)
	default:
		return a, fmt.Errorf("attribute %.40q: %w: a value of type %T, want a string, a bool or a number", name, count.ErrInvalid, value)
	}
	return a, a.Check()
}
