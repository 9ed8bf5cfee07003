package reading

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// values returns the attribute values of d, each name once: --attr takes precedence over
// the source, and the source over values read in a message.
func (d *Document) values() []corpus.Attribute {
	if len(d.Read) == 0 {
		return merge(d.Given, d.added)
	}
	read := make([]corpus.Attribute, len(d.Read))
	for i, a := range d.Read {
		read[i] = corpus.Attribute{Name: a.Name, Value: a.Value}
	}
	return merge(merge(read, d.Given), d.added)
}

// merge returns the attributes of both, in order of name; for equal names those of over.
func merge(under, over []corpus.Attribute) []corpus.Attribute {
	if len(over) == 0 && slices.IsSortedFunc(under, byName) {
		return under
	}
	all := slices.Clone(over)
	for _, a := range under {
		if !slices.ContainsFunc(over, func(o corpus.Attribute) bool { return o.Name == a.Name }) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, byName)
	return all
}

// idWith returns the id of a document from its content's id, attributes and copies.
func idWith(content count.DocID, attributes []corpus.Attribute, copies int) count.DocID {
	data := binary.AppendUvarint(slices.Clone(content[:]), uint64(copies))
	add := func(text string) {
		data = binary.AppendUvarint(data, uint64(len(text)))
		data = append(data, text...)
	}
	for _, a := range attributes {
		add(a.Name)
		add(written(a))
	}
	sum := sha256.Sum256(data)
	return count.DocID(sum[:16])
}

// written returns a string that distinguishes values: the source's text, or the value it
// stands for.
func written(a corpus.Attribute) string {
	if a.Text != "" {
		return "text " + a.Text
	}
	if x, ok := a.Value.(float64); ok {
		return "number " + strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprintf("%T %v", a.Value, a.Value)
}

// maxRefusals is the largest number of documents named whose attributes cannot be
// counted: in a table it may be all, for the same reason.
const maxRefusals = 10

// refusals collects them.
type refusals struct {
	errs []error
	more int

	long map[string]int // documents by attribute name, for categories that are too long
}

// add adds an error about the document at path. Categories that are too long are reported
// once per attribute name.
func (r *refusals) add(path string, err error) {
	var long *longCategory
	if errors.As(err, &long) {
		if r.long == nil {
			r.long = map[string]int{}
		}
		if r.long[long.name]++; r.long[long.name] > 1 {
			return
		}
	}
	if len(r.errs) < maxRefusals {
		r.errs = append(r.errs, fmt.Errorf("%s: %w", path, err))
	} else {
		r.more++
	}
}

func (r *refusals) errors() []error {
	errs := r.errs
	for _, name := range slices.Sorted(maps.Keys(r.long)) {
		if more := r.long[name] - 1; more > 0 {
			errs = append(errs, fmt.Errorf("and %s with a category %.40q as long", terminal.Counted(more, "more document", "more documents"), name))
		}
	}
	if r.more > 0 {
		errs = append(errs, fmt.Errorf("and %s with attributes that cannot be counted", terminal.Counted(r.more, "more document", "more documents")))
	}
	return errs
}

// countable returns why an attribute cannot be counted.
func countable(x *count.Attribute) error {
	if n := len(x.Category); n > count.MaxCategoryBytes {
		return &longCategory{x.Name, n}
	}
	if err := x.Check(); err != nil { // a number is well formed
		return errors.New(strings.Replace(err.Error(), count.ErrInvalid.Error()+": ", "", 1))
	}
	return nil
}

// longCategory is an error about a category that is too long.
type longCategory struct {
	name  string
	bytes int
}

// Error implements error.
func (l *longCategory) Error() string {
	return fmt.Sprintf("attribute %.40q: a category of %d bytes, want 1 to %d", l.name, l.bytes, count.MaxCategoryBytes)
}

// advised adds advice to an error about the attributes of d.
func advised(err error, d *Document) error {
	var long *longCategory
	if !errors.As(err, &long) || !slices.ContainsFunc(d.Given, func(a corpus.Attribute) bool { return a.Name == long.name }) {
		return err
	}
	if d.Row {
		return fmt.Errorf("%w: if it is a text, --text-column %s counts its words", err, terminal.ShellWords(long.name))
	}
	return fmt.Errorf("%w: a text belongs under \"text\"", err)
}
