package tags

import (
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Rename gives a tag another name; if a tag has that name already, the two are merged. It
// needs no text and works in every ledger mode. The error wraps store.ErrNoClass if no
// document has the tag. Each set of tags is changed in one transaction: if ctx ends, some
// documents have the new name and the others the old one, until Rename is called again.
// Call Calibrate to fit the tag again.
func (t *Tagger) Rename(ctx context.Context, from, to string) error {
	if _, err := count.TagSet(to); err != nil {
		return err
	}
	return t.replace(ctx, from, to)
}

// Delete removes a tag from all documents, which stay. Otherwise it is like Rename.
func (t *Tagger) Delete(ctx context.Context, tag string) error { return t.replace(ctx, tag) }

// replace replaces a tag by the tags by.
func (t *Tagger) replace(ctx context.Context, tag string, by ...string) error {
	db := t.c.Store()
	var sets []string
	known := map[string]bool{}
	err := db.View(func(s *store.Snapshot) error {
		for _, set := range s.Classes() {
			known[set.Name] = true
			if set.Docs > 0 && slices.Contains(count.Tags(set.Name), tag) {
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
