//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// inPolya is polya as a library, reading the documents as mail.
type inPolya struct {
	model string // "" is the default

	dir        string
	analyzer   *tokenize.Analyzer
	classifier *classify.Classifier
}

func (p *inPolya) name() string {
	if p.model == "" {
		return "polya"
	}
	return "polya, " + p.model
}

func (p *inPolya) learn(docs []document) (err error) {
	if p.dir, err = os.MkdirTemp("", "polya-newsgroups-"); err != nil {
		return err
	}
	if p.analyzer, err = tokenize.New(""); err != nil {
		return err
	}
	options := classify.Options{Store: store.Options{Analyzer: p.analyzer.Spec()}}
	if p.model != "" {
		if options.Model, err = classify.ParseModel(p.model); err != nil {
			return err
		}
	}
	if p.classifier, err = classify.Open(filepath.Join(p.dir, "counts"), options); err != nil {
		return err
	}
	var batch classify.Batch
	bag := new(tokenize.Bag)
	for i := range docs {
		p.read(bag, docs[i].text)
		if err := batch.Train(docs[i].class, classify.Document{ID: mail.ID(docs[i].text), Bag: bag}); err != nil {
			return err
		}
	}
	_, err = p.classifier.Apply(context.Background(), &batch)
	return err
}

// read counts the terms of a message. Broken parts are skipped.
func (p *inPolya) read(bag *tokenize.Bag, text []byte) {
	bag.Reset()
	_ = mail.Tokenize(p.analyzer, bag, text)
}

func (p *inPolya) answer(docs []document) ([]string, time.Duration, error) {
	classes := make([]string, len(docs))
	bag := new(tokenize.Bag)
	begun := cpu()
	for i := range docs {
		p.read(bag, docs[i].text)
		r, err := p.classifier.Classify(context.Background(), classify.Document{Bag: bag})
		if err != nil {
			return nil, 0, err
		}
		classes[i] = r.Class
	}
	return classes, cpu() - begun, nil
}

func (p *inPolya) close() error {
	if p.classifier != nil {
		p.classifier.Close()
	}
	return os.RemoveAll(p.dir)
}
