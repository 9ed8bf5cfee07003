package harness

import (
	"crypto/md5"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/testdata"
)

// Document is a file of a corpus. ScikitLearn is given its class and path, and reads it itself.
type Document struct {
	Class string
	Path  string // absolute; empty in the sample mail
	Raw   []byte `json:"-"`
}

// Name is the base name, by which corpora are cut.
func (d Document) Name() string { return filepath.Base(d.Path) }

// Folders reads DIR/CLASS/NAME in the order of paths: the sample mail of the repository
// if dir is empty.
func Folders(dir string) (docs []Document) {
	corpus, root := Must(fs.Sub(testdata.Mail, "mail/train")), ""
	if dir != "" {
		root = Must(filepath.Abs(dir))
		corpus = os.DirFS(root)
	}
	for _, path := range Must(fs.Glob(corpus, "*/*")) {
		raw := Must(fs.ReadFile(corpus, path))
		docs = append(docs, Document{filepath.Dir(path), filepath.Join(root, filepath.FromSlash(path)), raw})
	}
	if len(Classes(docs)) < 2 {
		Failf("%s: a corpus is a folder with a folder of documents for each of two or more classes", dir)
	}
	return docs
}

// Ordered reads what DIR/order.txt lists, a class, a tab and a path a line.
func Ordered(dir string) (docs []Document) {
	root := Must(filepath.Abs(dir))
	for line := range strings.Lines(string(Must(os.ReadFile(filepath.Join(root, "order.txt"))))) {
		class, path, found := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if !found {
			Failf("%s: order.txt: want a class, a tab and a path: %q", dir, line)
		}
		path = filepath.Join(root, filepath.FromSlash(path))
		docs = append(docs, Document{class, path, Must(os.ReadFile(path))})
	}
	return docs
}

// Half reports whether a document of that base name is learned where a corpus is cut into
// halves: the first byte of the MD5 of the name is even.
func Half(name string) bool { return md5.Sum([]byte(name))[0]%2 == 0 }

// Halves cuts a corpus by names.
func Halves(docs []Document) (learned, asked []Document) {
	for _, d := range docs {
		if Half(d.Name()) {
			learned = append(learned, d)
		} else {
			asked = append(asked, d)
		}
	}
	if len(Classes(learned)) < 2 || len(Classes(asked)) < 2 {
		Failf("%d documents are too few to be cut into halves with all classes", len(docs))
	}
	return learned, asked
}

// Classes returns the names of the classes in order.
func Classes(docs []Document) (names []string) {
	for _, d := range docs {
		names = append(names, d.Class)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Of returns the documents of a class.
func Of(docs []Document, class string) (list []Document) {
	for _, d := range docs {
		if d.Class == class {
			list = append(list, d)
		}
	}
	return list
}

// Shuffled returns the documents in an order drawn by seed.
func Shuffled[T any](list []T, seed uint64) []T {
	list = slices.Clone(list)
	rand.New(rand.NewPCG(seed, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// Sampled returns n of the list at even distances, so that every run has the same ones,
// or all if there are no more.
func Sampled[T any](list []T, n int) []T {
	if n >= len(list) {
		return list
	}
	sample := make([]T, n)
	for i := range sample {
		sample[i] = list[i*len(list)/n]
	}
	return sample
}

// Paths returns the paths of documents.
func Paths(docs []Document) []string {
	paths := make([]string, len(docs))
	for i, d := range docs {
		paths[i] = d.Path
	}
	return paths
}

// Megabytes returns the size of documents in 10^6 bytes.
func Megabytes(docs []Document) float64 {
	sum := 0
	for _, d := range docs {
		sum += len(d.Raw)
	}
	return float64(sum) / 1e6
}
