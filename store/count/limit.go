package count

import (
	"fmt"
	"math"
)

// How much can be counted. Documents come one by one, but a dump or
// the sum of a Delta can say any number: what would pass these bounds is refused
// before it is written, since a row beyond them could not be read again.

const (
	// MaxDocs bounds the documents of a class, and so the document frequencies of
	// its terms and what is counted of its attributes: U has 32 bits.
	MaxDocs = math.MaxUint32

	// MaxTokens bounds the tokens of one document.
	MaxTokens = math.MaxInt32

	// MaxSum bounds the tokens and the weight of a class: a number of a dump has
	// 62 bits.
	MaxSum = 1<<62 - 1
)

// ErrTooMany is returned, wrapped, when a class or an attribute would get more than
// MaxDocs documents. It wraps ErrInvalid.
var ErrTooMany = fmt.Errorf("%w: there would be more documents than can be counted, %d", ErrInvalid, uint64(MaxDocs))

// Room returns an error, which wraps ErrInvalid, unless c can have so many more
// documents, tokens and units of weight.
func (c *Class) Room(docs, tokens, weight uint64) error {
	err := error(nil)
	switch {
	case docs > MaxDocs || c.Docs > MaxDocs-docs:
		err = ErrTooMany
	case tokens > MaxSum || c.Tokens > MaxSum-tokens || weight > MaxSum || c.Weight > MaxSum-weight:
		err = fmt.Errorf("%w: there would be more tokens than can be counted, %d", ErrInvalid, uint64(MaxSum))
	default:
		return nil
	}
	return fmt.Errorf("class %.40q: %w", c.Name, err)
}
