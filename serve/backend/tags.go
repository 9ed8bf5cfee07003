package backend

import (
	"slices"
	"strings"
)

var (
	escapeTag   = strings.NewReplacer("%2C", "%252C", "%25", "%2525", ",", "%2C")
	unescapeTag = strings.NewReplacer("%2C", ",", "%25", "%")
)

// Tags returns the tags that the name of a class states in a database of tags: those with commas
// between, where %2C is a comma within a tag and %25 a percent sign.
func Tags(class string) (tags []string) {
	for tag := range strings.SplitSeq(class, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, unescapeTag.Replace(tag))
		}
	}
	return tags
}

// ClassOf returns the name of a class that states these tags, sorted; a comma if there are none.
func ClassOf(tags []string) string {
	var stated []string
	for _, tag := range tags {
		stated = append(stated, escapeTag.Replace(tag))
	}
	if stated == nil {
		return ","
	}
	slices.Sort(stated)
	return strings.Join(slices.Compact(stated), ", ")
}
