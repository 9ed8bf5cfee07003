package encoded

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// sortedAttributes returns a copy of the attributes of a document in order of name, as
// readAttributes gives them, or an error unless a document can have them.
func sortedAttributes(list []count.Attribute) ([]count.Attribute, error) {
	if len(list) > count.MaxAttributes {
		return nil, fmt.Errorf("%w: %d attributes, a document has at most %d", count.ErrInvalid, len(list), count.MaxAttributes)
	}
	byName := func(a, b count.Attribute) int { return strings.Compare(a.Name, b.Name) }
	if list = slices.Clone(list); !slices.IsSortedFunc(list, byName) {
		slices.SortStableFunc(list, byName)
	}
	for i := range list {
		a := &list[i]
		if err := a.Check(); err != nil {
			return nil, err
		}
		if a.Kind == count.Category {
			a.Number = 0
		} else {
			a.Category, a.Number = "", a.Number+0 // -0 is 0
		}
		if i > 0 && list[i].Name == list[i-1].Name {
			return nil, fmt.Errorf("attribute %.40q: %w: given twice", list[i].Name, count.ErrInvalid)
		}
	}
	return list, nil
}

func appendAttributes(dst []byte, list []count.Attribute) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		a := &list[i]
		dst = append(wire.AppendPrefixed(dst, a.Name), byte(a.Kind))
		switch a.Kind {
		case count.Category:
			dst = wire.AppendPrefixed(dst, a.Category)
		case count.YesNo:
			dst = append(dst, byte(a.Number))
		default:
			dst = wire.AppendNumber(dst, a.Number)
		}
	}
	return dst
}

// readAttributes reads what appendAttributes wrote, in no other encoding.
func readAttributes(r *wire.Reader) []count.Attribute {
	n := r.Uvarint()
	if r.Bad || n == 0 || n > count.MaxAttributes {
		r.Bad = true
		return nil
	}
	var list []count.Attribute
	for i := range int(n) {
		a := count.Attribute{Name: string(r.Prefixed()), Kind: count.Kind(r.Byte())}
		switch a.Kind {
		case count.Category:
			a.Category = string(r.Prefixed())
		case count.YesNo:
			a.Number = float64(r.Byte())
		default:
			a.Number = r.Number()
		}
		if r.Bad || a.Check() != nil || i > 0 && a.Name <= list[i-1].Name {
			r.Bad = true
			return nil
		}
		list = append(list, a)
	}
	return list
}
