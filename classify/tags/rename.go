package tags

import (
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// RenameClass is store.DB.RenameClass or, in a database of tags, gives a tag another name, which
// must be unused. That needs no text and works in every ledger mode. The error wraps
// store.ErrNoClass if no document has the tag, and store.ErrClassExists. Each set of tags is
// changed in one transaction: if ctx ends, some documents have the new name and the others the old
// one, until MergeClass is called.
func RenameClass(ctx context.Context, db *store.DB, from, to string) error {
	if !db.Tags() {
		return db.RenameClass(from, to)
	}
	return replace(ctx, db, from, true, to)
}

// MergeClass is store.DB.MergeClass or, in a database of tags, gives all documents of a tag another
// in its place, like RenameClass.
func MergeClass(ctx context.Context, db *store.DB, from, into string) error {
	if !db.Tags() {
		return db.MergeClass(ctx, from, into)
	}
	return replace(ctx, db, from, false, into)
}

// DeleteClass is store.DB.DeleteClass or, in a database of tags, removes a tag from all documents,
// which stay, like RenameClass.
func DeleteClass(ctx context.Context, db *store.DB, name string) error {
	if !db.Tags() {
		return db.DeleteClass(ctx, name)
	}
	return replace(ctx, db, name, false)
}

// replace replaces a tag by the tags by, which if unused must be those of no document.
func replace(ctx context.Context, db *store.DB, tag string, unused bool, by ...string) error {
	if _, err := count.TagSet(by...); err != nil {
		return err
	}
	var sets []string
	known := map[string]bool{}
	err := db.View(func(s *store.Snapshot) error {
		for _, set := range s.Classes() {
			known[set.Name] = true
			tags := count.Tags(set.Name)
			if set.Docs > 0 && unused && slices.Contains(tags, by[0]) {
				return fmt.Errorf("%s: tag %q: %w", db.Path(), by[0], store.ErrClassExists)
			}
			if set.Docs > 0 && slices.Contains(tags, tag) {
				sets = append(sets, set.Name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return fmt.Errorf("%s: tag %q: %w", db.Path(), tag, store.ErrNoClass)
	}
	for _, set := range sets {
		others := slices.DeleteFunc(count.Tags(set), func(other string) bool { return other == tag })
		to, err := count.TagSet(append(others, by...)...)
		switch {
		case err != nil:
			return err
		case to == set: // it is renamed to itself
			continue
		case known[to]:
			err = db.MergeClass(ctx, set, to)
		default:
			err = db.RenameClass(set, to)
			known[to] = true
		}
		if err != nil {
			return err
		}
	}
	return nil
}
