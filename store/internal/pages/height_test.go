package pages

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"
)

const testPage = 4096

// tree is a file under construction, whose first two pages are those of meta data.
type tree struct {
	data []byte
}

func newTree() *tree { return &tree{make([]byte, 2*testPage)} }

// put appends a page whose elements have these keys and lead to these pages or, of a
// leaf, have values, and returns its number.
func (t *tree) put(flags uint16, keys []string, children []uint64, values [][]byte) uint64 {
	id := uint64(len(t.data) / testPage)
	page := make([]byte, testPage)
	native.PutUint64(page, id)
	native.PutUint16(page[8:], flags)
	native.PutUint16(page[10:], uint16(len(keys)))
	end := headerSize + len(keys)*elementSize
	for i, key := range keys {
		at := headerSize + i*elementSize
		e := page[at:]
		if flags == flagBranch {
			native.PutUint32(e, uint32(end-at))
			native.PutUint32(e[4:], uint32(len(key)))
			native.PutUint64(e[8:], children[i])
		} else {
			native.PutUint32(e[4:], uint32(end-at))
			native.PutUint32(e[8:], uint32(len(key)))
		}
		end += copy(page[end:], key)
		if values != nil {
			native.PutUint32(e, flagBucket)
			native.PutUint32(e[12:], uint32(len(values[i])))
			end += copy(page[end:], values[i])
		}
	}
	t.data = append(t.data, page...)
	return id
}

func (t *tree) leaf(keys ...string) uint64 { return t.put(flagLeaf, keys, nil, nil) }

func (t *tree) branch(first string, children ...uint64) uint64 {
	keys := make([]string, len(children))
	for i := range keys {
		keys[i] = fmt.Sprint(first, i)
	}
	return t.put(flagBranch, keys, children, nil)
}

// finish makes root the page of the only bucket, and writes the pages of meta data.
func (t *tree) finish(root uint64) []byte {
	head := native.AppendUint64(nil, root)
	top := t.put(flagLeaf, []string{"log"}, nil, [][]byte{native.AppendUint64(head, 7)})
	for id := range uint64(2) {
		page := t.data[id*testPage:]
		native.PutUint64(page, id)
		native.PutUint16(page[8:], flagMeta)
		native.PutUint32(page[16:], magic)
		native.PutUint32(page[24:], testPage)
		native.PutUint64(page[32:], top)
		native.PutUint64(page[48:], math.MaxUint64)
		native.PutUint64(page[56:], uint64(len(t.data)/testPage))
		native.PutUint64(page[64:], 10+id)
		native.PutUint64(page[72:], metaSum(page))
	}
	return t.data
}

// checkBoth checks a file in both ways.
func checkBoth(data []byte) (whole, branches error) {
	f := bytes.NewReader(data)
	return Check(f), CheckBranches(f, ReadMetas(f).Newest, Access{})
}

// All leaves of a tree are as many branches below its root: a branch beside leaves, or
// beside branches that are higher or lower by one, is damage.
func TestHeight(t *testing.T) {
	for _, test := range []struct {
		name  string
		left  int // branches above the leaves of each half
		right int
	}{
		{"leaves", 0, 0}, {"branches", 1, 1}, {"branches of branches", 2, 2},
		{"a leaf behind a branch", 1, 0}, {"a branch behind a higher one", 2, 1}, {"a branch behind a lower one", 1, 2},
		{"two behind three", 3, 2}, {"three behind two", 2, 3},
	} {
		b := newTree()
		var half func(first string, height int) uint64
		half = func(first string, height int) uint64 {
			if height == 0 {
				return b.leaf(first+"0", first+"00")
			}
			return b.branch(first, half(first, height-1))
		}
		data := b.finish(b.branch("", half("0", test.left), half("1", test.right)))
		whole, branches := checkBoth(data)
		if test.left == test.right {
			if whole != nil || branches != nil {
				t.Errorf("%s: %v, %v", test.name, whole, branches)
			}
			continue
		}
		if !errors.Is(whole, errHeight) || !errors.Is(branches, errHeight) {
			t.Errorf("%s: %v, %v", test.name, whole, branches)
		}
	}
}

// Behind a first leaf the others are not read, behind a first branch they are: damage
// below a branch is found however many branches are above it.
func TestDamageBelowBranches(t *testing.T) {
	for height := 1; height < 5; height++ {
		b := newTree()
		bad := b.branch("1", b.leaf("10", "100"))
		good := b.branch("0", b.leaf("00", "000"))
		damaged := bad * testPage
		for range height - 1 {
			good, bad = b.branch("0", good), b.branch("1", bad)
		}
		data := b.finish(b.branch("", good, bad))
		if whole, branches := checkBoth(data); whole != nil || branches != nil {
			t.Fatalf("height %d: %v, %v", height, whole, branches)
		}
		data[damaged+8] = flagMeta
		if whole, branches := checkBoth(data); whole == nil || branches == nil {
			t.Errorf("height %d: %v, %v", height, whole, branches)
		}
	}
}

// CheckKeys looks at the pages from the key before low to high, and at no others; branches
// that lead to each other come to an end.
func TestCheckKeys(t *testing.T) {
	b := newTree()
	var leaves []uint64
	for _, key := range []string{"0", "2", "4", "6"} {
		leaves = append(leaves, b.leaf(key, key+"0"))
	}
	left := b.put(flagBranch, []string{"0", "2"}, leaves[:2], nil)
	right := b.put(flagBranch, []string{"4", "6"}, leaves[2:], nil)
	root := b.put(flagBranch, []string{"0", "4"}, []uint64{left, right}, nil)
	n := uint64(len(b.data) / testPage)
	for _, test := range []struct {
		low, high string
		damaged   uint64
		found     bool
	}{
		{"4", "4", leaves[0], false},
		{"4", "4", leaves[1], true}, // the key before may be there
		{"4", "4", leaves[2], true},
		{"4", "4", leaves[3], false},
		{"40", "", leaves[1], false},
		{"40", "", leaves[2], true},
		{"40", "", leaves[3], true},
		{"40", "", left, false},
		{"40", "40", right, true},
		{"0", "0", right, false},
		{"", "", leaves[3], true},
		{"40", "", root, true},
	} {
		data := bytes.Clone(b.data)
		data[test.damaged*testPage+8] = flagMeta
		var high []byte
		if test.high != "" {
			high = []byte(test.high)
		}
		if err := CheckKeys(bytes.NewReader(data), testPage, n, root, []byte(test.low), high); (err != nil) != test.found {
			t.Errorf("from %q to %q, page %d: %v", test.low, test.high, test.damaged, err)
		}
	}
	at := int(left*testPage + headerSize + 8) // the first child of left
	native.PutUint64(b.data[at:], root)
	if err := CheckKeys(bytes.NewReader(b.data), testPage, n, root, nil, nil); !errors.Is(err, errTwice) {
		t.Errorf("a branch that leads to its parent: %v", err)
	}
	if err := CheckKeys(bytes.NewReader(b.data), testPage, n, n, nil, nil); !errors.Is(err, errBeyond) {
		t.Errorf("a page beyond the end: %v", err)
	}
}
