package statistics

import (
	"cmp"
	"slices"
	"strings"

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
