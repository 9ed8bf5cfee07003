package count

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ErrInvalid is returned, wrapped, for a document, a set of changes, a dump or one of
// their parts that is not well formed.
var ErrInvalid = errors.New("not well formed")

const (
	// MaxCount is the largest count of a term in one document: it is one byte
	// of a log record.
	MaxCount = 255

	// MaxTermBytes is the longest term: its length is one byte of a table.
	MaxTermBytes = 255

	// MaxNameBytes is the longest name of a class or a source.
	MaxNameBytes = 255
)

// DocID identifies a document: by default the first 16 bytes of a SHA-256 of
// its content. Two documents with the same id are the same document.
type DocID [16]byte

// String returns the id as 32 hexadecimal digits.
func (id DocID) String() string { return hex.EncodeToString(id[:]) }

// ParseDocID reads what String returns.
func ParseDocID(s string) (DocID, error) {
	var id DocID
	if len(s) == 2*len(id) {
		if _, err := hex.Decode(id[:], []byte(s)); err == nil {
			return id, nil
		}
	}
	return DocID{}, fmt.Errorf("document id %.40q: %w: want 32 hexadecimal digits", s, ErrInvalid)
}

// TermCount is a term of a document and how often it occurs there, 1 to
// MaxCount.
type TermCount struct {
	Term []byte
	N    uint8
}

// Document holds the counts of one document, and its entry in the ledger.
type Document struct {
	ID     DocID
	Class  string
	Time   time.Time // when it was learned, kept to the second
	Source string    // who taught it, at most MaxNameBytes; may be empty
	Terms  []TermCount

	// Attributes are its named values beside the terms, each name once. Their order does not
	// matter.
	Attributes []Attribute

	// Dropped counts, by their occurrences N, the document's terms that store.DB.Prune
	// has dropped since it was learned. They are not in Terms.
	Dropped []Pair
}

// CheckName returns an error unless name can name an attribute or a class.
func CheckName(name string) error {
	if name == "" || len(name) > MaxNameBytes || bytes.ContainsFunc([]byte(name), isControl) {
		return fmt.Errorf("class name %.40q: %w: want 1 to %d bytes without control characters", name, ErrInvalid, MaxNameBytes)
	}
	return nil
}

// CheckClass returns an error, which wraps ErrInvalid, unless a new class can be called
// name: 1 to MaxNameBytes bytes of UTF-8, or in a database of tags what TagSet makes; without
// control characters, line ends and marks of direction, which would hide what the name is; and
// not "unsure", nor for a tag "-", which stand in answers where there is no class or tag. Databases
// made earlier may hold other names; these can be read, renamed and deleted like others.
func CheckClass(name string) error {
	if err := CheckClassName(name); err != nil {
		return err
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("class name %.40q: %w: want UTF-8", name, ErrInvalid)
	}
	if strings.ContainsFunc(name, hides) {
		return fmt.Errorf("class name %.40q: %w: want no control characters, line ends and marks of direction", name, ErrInvalid)
	}
	names := []string{name}
	set, isSet := strings.CutPrefix(name, ",")
	if isSet {
		names = strings.Split(set, ",")
	}
	for _, one := range names {
		if one == "unsure" || one == "-" && isSet {
			return fmt.Errorf("class name %q: %w: want another name: answers say that where there is no class", one, ErrInvalid)
		}
	}
	return nil
}

// hides reports whether a character can make a name look like another.
func hides(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Weights returns for each count x the weight W, in units of 2^-16, of a term that occurs x times in the
// document, 0 for counts that no term has, and their sum over its terms, including the dropped ones: a
// term keeps the weight that it had when the document was learned.
func (d *Document) Weights() (w [MaxCount + 1]uint64, sum uint64) {
	var terms [MaxCount + 1]uint64
	for i := range d.Terms {
		if !OfChannel(d.Terms[i].Term) {
			terms[d.Terms[i].N]++
		}
	}
	for _, p := range d.Dropped {
		terms[p.N] += p.Count
	}
	norm, most := uint64(0), 0
	for x, n := range terms {
		if n > 0 {
			norm += n * logs[x] * logs[x]
			most = x
		}
	}
	root := math.Sqrt(float64(norm))
	for x, n := range terms[:most+1] {
		if n > 0 {
			w[x] = uint64(math.Floor(float64(logs[x]*WeightUnit)/root + 0.5))
			sum += n * w[x]
		}
	}
	return w, sum
}

// WeightUnit is W's unit, 2^-16: a document of one term gives it this much.
const WeightUnit = 1 << 16

// Logs[x] is log(1+x).
var Logs [MaxCount + 1]float64

// logs[x] is log(1+x) in units of 2^-16. Computed from integers, with one correctly
// rounded root and division, a weight is the same on every machine, so that forgetting
// subtracts exactly what learning added.
var logs [MaxCount + 1]uint64

func init() {
	for x := range Logs {
		Logs[x] = math.Log1p(float64(x))
		logs[x] = uint64(math.Floor(Logs[x]*(1<<16) + 0.5))
	}
}

// channelMark is the first byte of a term of a channel, as package tokenize makes them: a
// control character, which is in no word and in no name of a field.
const channelMark = 1

// OfChannel reports whether a term is of a channel: its first byte is 1. Such terms have
// rows, but no weight, and no total of a document or class counts them.
func OfChannel(term []byte) bool { return len(term) > 0 && term[0] == channelMark }

// WeightOf returns the weight of a term that occurs n times in a document with weights w
// by count; see Document.Weights.
func WeightOf[T ~string | ~[]byte](w *[MaxCount + 1]uint64, term T, n uint8) uint64 {
	if len(term) > 0 && term[0] == channelMark {
		return 0
	}
	return w[n]
}
