package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// corpus holds the documents that are learned, by class, and the documents that are asked about.
type corpus struct {
	text bool   // they are plain text and not mail
	spam string // name of the class that the sender wants to evade

	classes     map[string][][]byte
	hams, spams [][]byte // asked about
}

// readCorpus reads train/CLASS/FILE and test/CLASS/FILE. All classes but spam are ham.
func readCorpus(train, test, spam string, text bool) (*corpus, error) {
	c := &corpus{text: text, spam: spam}
	var err error
	if c.classes, err = readClasses(train); err != nil {
		return nil, err
	}
	asked, err := readClasses(test)
	if err != nil {
		return nil, err
	}
	for class, docs := range asked {
		if class == spam {
			c.spams = docs
		} else {
			c.hams = append(c.hams, docs...)
		}
	}
	if len(c.classes[spam]) == 0 || len(c.classes) < 2 || len(c.hams) == 0 || len(c.spams) == 0 {
		return nil, fmt.Errorf("%s, %s: want a folder %s with documents and another in each", train, test, spam)
	}
	return c, nil
}

// readClasses reads the folders in a folder.
func readClasses(folder string) (map[string][][]byte, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	classes := make(map[string][][]byte)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if classes[e.Name()], err = readFiles(filepath.Join(folder, e.Name())); err != nil {
			return nil, err
		}
	}
	return classes, nil
}

// readFiles reads the files of a folder, in order of name.
func readFiles(folder string) ([][]byte, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files [][]byte
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, data)
	}
	return files, nil
}
