package statistics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// tagsOf returns the tags of sets, with Name and Docs, in order of name.
func tagsOf(sets []*count.Class) (tags []*count.Class) {
	known := map[string]*count.Class{}
	for _, set := range sets {
		if set.Docs == 0 {
			continue
		}
		for _, tag := range count.Tags(set.Name) {
			if known[tag] == nil {
				known[tag] = &count.Class{Name: tag}
				tags = append(tags, known[tag])
			}
			known[tag].Docs += set.Docs
		}
	}
	slices.SortFunc(tags, func(a, b *count.Class) int { return cmp.Compare(a.Name, b.Name) })
	return tags
}

// tagsNow lists the documents of each tag, and how many there are in all.
func tagsNow(db *store.DB, tags []*count.Class, isNew func(*count.Class) bool) string {
	docs := uint64(0)
	_ = db.View(func(s *store.Snapshot) error {
		docs = s.Documents()
		return nil
	})
	now := fmt.Sprintf("%s now", terminal.Counted(int(docs), "document", "documents"))
	if len(tags) > fewClasses {
		now += fmt.Sprintf(", of %d tags", len(tags))
		if names := newNames(tags, isNew); len(names) > 0 {
			now += ", new are " + Some(names)
		}
		return now
	}
	var parts []string
	for _, tag := range tags {
		mark := ""
		if isNew != nil && isNew(tag) {
			mark = " (new)"
		}
		parts = append(parts, fmt.Sprintf("%s %s%s", terminal.Printable(tag.Name), terminal.Grouped(tag.Docs), mark))
	}
	if len(parts) == 0 {
		return now + ", none with a tag"
	}
	return now + ": " + strings.Join(parts, ", ")
}

// Label returns the label of a class: its name, or in a database of tags its tags.
func Label(db *store.DB, class string) string {
	switch tags := count.Tags(class); {
	case !db.Tags():
		return class
	case len(tags) == 0:
		return "no tag"
	default:
		return strings.Join(tags, " + ")
	}
}
