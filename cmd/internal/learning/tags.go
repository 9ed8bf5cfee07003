package learning

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/store"
)

// CalibrateTags calibrates a database of tags on about limit documents.
func CalibrateTags(ctx context.Context, c *classify.Classifier, limit int) error {
	return ofTags(c, func(t *tags.Tagger) error { return t.Calibrate(ctx, limit) })
}

// refitAfter is RefitAfter of the database.
func refitAfter(ctx context.Context, c *classify.Classifier, documents int) error {
	if !c.Store().Tags() {
		return c.RefitAfter(ctx, documents)
	}
	return ofTags(c, func(t *tags.Tagger) error { return t.RefitAfter(ctx, documents) })
}

// fitDue is FitDue of the database.
func fitDue(c *classify.Classifier, growth float64) (due bool, err error) {
	if !c.Store().Tags() {
		return c.FitDue(growth)
	}
	err = ofTags(c, func(t *tags.Tagger) error {
		due, err = t.FitDue(growth)
		return err
	})
	return due, err
}

// RenameClass gives a class or a tag another name, which must be unused.
func RenameClass(ctx context.Context, c *classify.Classifier, from, to string) error {
	if !c.Store().Tags() {
		return c.Store().RenameClass(from, to)
	}
	if _, err := statistics.Class(c.Store(), to); err == nil {
		return fmt.Errorf("%s: tag %q: %w", c.Store().Path(), to, store.ErrClassExists)
	}
	return ofTags(c, func(t *tags.Tagger) error { return t.Rename(ctx, from, to) })
}

// MergeClass moves all documents of a class to another, or makes two tags one.
func MergeClass(ctx context.Context, c *classify.Classifier, from, into string) error {
	if !c.Store().Tags() {
		return c.Store().MergeClass(ctx, from, into)
	}
	return ofTags(c, func(t *tags.Tagger) error { return t.Rename(ctx, from, into) })
}

// DeleteClass forgets a class with its documents, or takes a tag from all documents.
func DeleteClass(ctx context.Context, c *classify.Classifier, name string) error {
	if !c.Store().Tags() {
		return c.Store().DeleteClass(ctx, name)
	}
	return ofTags(c, func(t *tags.Tagger) error { return t.Delete(ctx, name) })
}

func ofTags(c *classify.Classifier, do func(*tags.Tagger) error) error {
	t, err := tags.New(c, tags.Options{})
	if err != nil {
		return err
	}
	return do(t)
}
