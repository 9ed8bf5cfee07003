//go:build linux

package main

import (
	"crypto/md5"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// classes are the folders of a corpus, in the order in which they are learned.
var classes = []string{"ham", "spam"}

// A document is one file of the corpus.
type document struct {
	path string
	spam bool
	size int64 // bytes
}

func (d document) class() string {
	if d.spam {
		return "spam"
	}
	return "ham"
}

// A corpus is copied into scratch/train/CLASS/NAME and scratch/test/CLASS/NAME, so that
// every peer reads the same files of the same file system.
type corpus struct {
	root        string // the folder with train and test in it
	train, test []document
}

// trained reports whether a document of that base name is learned, not asked about: the
// first byte of the MD5 of the name is even (protocol halves of
// benchmarks/accuracy/corpora.py).
func trained(name string) bool {
	return md5.Sum([]byte(name))[0]%2 == 0
}

// cut copies the corpus at folder, CLASS/NAME, into scratch.
func cut(folder, scratch string) (*corpus, error) {
	c := &corpus{root: scratch}
	for _, class := range classes {
		entries, err := os.ReadDir(filepath.Join(folder, class))
		if err != nil {
			return nil, fmt.Errorf("%w: a corpus is a folder with the folders ham and spam", err)
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() {
				continue
			}
			if err := c.add(folder, class, entry.Name()); err != nil {
				return nil, err
			}
		}
	}
	for _, part := range [][]document{c.train, c.test} {
		if len(of(part, "ham")) == 0 || len(of(part, "spam")) == 0 {
			return nil, errors.New(folder + ": too few files: both halves must have ham and spam")
		}
	}
	return c, nil
}

func (c *corpus) add(folder, class, name string) error {
	part, documents := "test", &c.test
	if trained(name) {
		part, documents = "train", &c.train
	}
	data, err := os.ReadFile(filepath.Join(folder, class, name))
	if err != nil {
		return err
	}
	dir := filepath.Join(c.root, part, class)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, name)
	*documents = append(*documents, document{path, class == "spam", int64(len(data))})
	return os.WriteFile(path, data, 0o644)
}

// of returns the documents of a class.
func of(documents []document, class string) []document {
	var found []document
	for _, d := range documents {
		if d.class() == class {
			found = append(found, d)
		}
	}
	return found
}

func paths(documents []document) []string {
	list := make([]string, len(documents))
	for i, d := range documents {
		list[i] = d.path
	}
	return list
}

// megabytes returns the size of documents in 10^6 bytes.
func megabytes(documents []document) float64 {
	var sum int64
	for _, d := range documents {
		sum += d.size
	}
	return float64(sum) / 1e6
}

// sampled returns n documents at even distances, so that every run has the same ones and
// the classes are in proportion; all of them if there are no more than n.
func sampled(documents []document, n int) []document {
	if n >= len(documents) {
		return documents
	}
	sample := make([]document, n)
	for i := range sample {
		sample[i] = documents[i*len(documents)/n]
	}
	return sample
}
