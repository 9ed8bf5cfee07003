package count

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A database of tags has a class for each set of tags that some document has. The counts
// of a tag are the sums over the sets that contain it, so that a document is counted once,
// however many tags it has, and whatever holds for classes holds for sets.

// MaxSetBytes is the longest name of a class that is a set of tags. It is read into memory
// whole, in every line of a dump and every reader of a file.
const MaxSetBytes = 4095

// TagSet returns the name of the class of the documents with exactly these tags: each with
// a comma before it, in order of bytes and once, as in ",family,travel", where a comma and
// a percent sign within a tag are %2C and %25. The set of no tags is ",". The error wraps
// ErrInvalid: a tag is 1 to MaxNameBytes bytes that CheckClass accepts, and the name of the
// set may not be longer than MaxSetBytes.
func TagSet(tags ...string) (string, error) {
	set, err := tagSet(tags)
	if err != nil {
		return "", err
	}
	return set, CheckClass(set)
}

// tagSet is TagSet for tags that an old database may have.
func tagSet(tags []string) (string, error) {
	if len(tags) == 0 {
		return ",", nil
	}
	tags = slices.Compact(slices.Sorted(slices.Values(tags)))
	var b strings.Builder
	for _, tag := range tags {
		if tag == "" || len(tag) > MaxNameBytes || strings.ContainsFunc(tag, isControl) {
			return "", fmt.Errorf("tag %.40q: %w: want 1 to %d bytes without control characters", tag, ErrInvalid, MaxNameBytes)
		}
		b.WriteByte(',')
		escapeTag.WriteString(&b, tag)
	}
	set := b.String()
	return set, CheckClassName(set)
}

var (
	escapeTag   = strings.NewReplacer("%", "%25", ",", "%2C")
	unescapeTag = strings.NewReplacer("%25", "%", "%2C", ",")
)

// ParseTagSet is TagSet of tags with commas between them, as a folder, a document, a row or a
// request states them; white space at their ends does not count, nor do empty ones.
func ParseTagSet(stated string) (string, error) {
	var tags []string
	for tag := range strings.SplitSeq(stated, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return TagSet(tags...)
}

// Tags returns the tags in a name that TagSet has made, in order, and an empty slice for
// the set of no tags. It returns nil for other names.
func Tags(set string) []string {
	list, found := strings.CutPrefix(set, ",")
	if !found {
		return nil
	}
	tags := []string{}
	if list == "" {
		return tags
	}
	for tag := range strings.SplitSeq(list, ",") {
		tags = append(tags, unescapeTag.Replace(tag))
	}
	if again, err := tagSet(tags); err != nil || again != set {
		return nil
	}
	return tags
}

// Labels returns the tags of a set as Tags does, or the class itself if its name is of none.
func Labels(class string) []string {
	if tags := Tags(class); tags != nil {
		return tags
	}
	return []string{class}
}

// CheckClassName returns an error unless a database can have a class of that name: one that
// CheckName accepts, or, in a database of tags, a longer one that begins with a comma.
func CheckClassName(name string) error {
	if name == "" || name[0] != ',' || len(name) <= MaxNameBytes {
		return CheckName(name)
	}
	if len(name) > MaxSetBytes {
		return fmt.Errorf("tags %.40q…: %w: want a set of at most %d bytes", name, ErrInvalid, MaxSetBytes)
	}
	if bytes.ContainsFunc([]byte(name), isControl) {
		return fmt.Errorf("tags %.40q…: %w: want no control characters", name, ErrInvalid)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
