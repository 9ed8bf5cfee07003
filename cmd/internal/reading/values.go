package reading

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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
		return merge(d.Document.Attributes, d.added)
	}
	read := make([]corpus.Attribute, len(d.Read))
	for i, a := range d.Read {
		read[i] = corpus.Attribute{Name: a.Name, Value: a.Value}
	}
	return merge(merge(read, d.Document.Attributes), d.added)
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

// countable returns why an attribute cannot be counted.
func countable(x *count.Attribute) error {
	err := x.Check() // a number is well formed
	if err == nil {
		return nil
	}
	text := strings.Replace(err.Error(), count.ErrInvalid.Error()+": ", "", 1)
	if len(x.Category) > count.MaxCategoryBytes {
		text += fmt.Sprintf(": a text belongs under \"text\", or in a table --text-column %s counts its words", terminal.ShellWords(x.Name))
	}
	return errors.New(text)
}
