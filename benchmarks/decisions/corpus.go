package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus/message"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
)

// document is a document of a corpus, with the class that it is learned as.
type document struct {
	path        string
	class, true string
	doc         classify.Document
}

// open makes a database in memory that answers by d.
func open(d decision.Decision) (*classify.Classifier, error) {
	return classify.OpenMemory(nil, classify.Options{Fitting: classify.FitByHand, Decision: d})
}

// read makes documents of files.
func read(paths []string, classOf func(path string) string) ([]document, error) {
	c, err := open(nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var list []document
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		class := classOf(path)
		d := document{path: path, class: class, true: class}
		if m, is := message.Sure(path, raw); is {
			d.doc = mail.Document(c, m)
		} else {
			d.doc = c.Document(raw)
		}
		list = append(list, d)
	}
	return list, nil
}

// parent is the class of a file in a folder of that name.
func parent(path string) string { return filepath.Base(filepath.Dir(path)) }

// readFolders reads the documents of all folders below dir, by name.
func readFolders(dir string) ([]document, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		return nil, err
	}
	return read(paths, parent)
}

// readOrdered reads the documents that dir/order.txt lists, a line "class TAB path" each.
func readOrdered(dir string) ([]document, error) {
	data, err := os.ReadFile(filepath.Join(dir, "order.txt"))
	if err != nil {
		return nil, err
	}
	var paths []string
	classes := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		if class, path, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
			path = filepath.Join(dir, path)
			paths, classes[path] = append(paths, path), class
		}
	}
	return read(paths, func(path string) string { return classes[path] })
}

// learned returns a calibrated database that has learned the documents.
func learned(docs []document, d decision.Decision) (*classify.Classifier, error) {
	c, err := open(d)
	if err != nil {
		return nil, err
	}
	var batch classify.Batch
	for i := range docs {
		if err := batch.Train(docs[i].class, docs[i].doc); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	if _, err := c.Apply(ctx, &batch); err != nil {
		return nil, err
	}
	if _, err := c.Calibrate(ctx, 0); err != nil {
		return nil, err
	}
	return c, nil
}

// ofClass returns the documents of a class.
func ofClass(docs []document, class string) (list []document) {
	for _, d := range docs {
		if d.true == class {
			list = append(list, d)
		}
	}
	return list
}

// drawn returns the documents in a random order of this draw.
func drawn(docs []document, draw int) []document {
	list := append([]document(nil), docs...)
	rand.New(rand.NewPCG(uint64(draw), 11)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
