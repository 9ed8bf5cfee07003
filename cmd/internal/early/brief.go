package early

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Brief is a command about one document that a daemon can run if it is sent the document.
type Brief struct {
	Name     string // of the command
	Database string // that --db names, "" if it does not
	Class    string // of train and relabel
	Path     string // of the document, - for standard input
	At       int    // where the path stands in the arguments
	Quiet    bool   // train prints no results

	bare bool // it has no flag but --db, and of train --quiet
}

// Changes reports whether the command changes the database.
func (b *Brief) Changes() bool { return b.Name != "classify" && b.Name != "explain" }

// flagsOf are the flags of the commands that a daemon runs, with = after flags that take a
// value. None of them makes a database, names a file or reads more than one document.
var flagsOf = map[string][]string{
	"classify": {"--json", "--is=", "--top=", "--threshold=", "--fpr=", "--min-terms=", "--raw"},
	"explain":  {"--json", "--is=", "--terms=", "-n=", "--all", "--threshold=", "--fpr="},
	"train":    {"--json", "--source=", "--move"},
	"forget":   {"--json"},
	"relabel":  {"--json"},
}

var flagsOfAll = []string{"--db=", "--quiet", "-q", "--verbose", "-v"}

// ParseBrief reads the arguments of polya. ok reports whether they form a Brief.
func ParseBrief(args []string) (b Brief, ok bool) {
	i := slices.IndexFunc(args, func(arg string) bool { return flagsOf[arg] != nil })
	if i < 0 {
		return b, false
	}
	b.Name = args[i]
	known := slices.Concat(flagsOfAll, flagsOf[b.Name])
	b.bare = true
	var rest []string
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "-" || !strings.HasPrefix(name, "-"):
			rest, b.At = append(rest, args[i]), i
			continue
		case b.Name == "train" && (args[i] == "--quiet" || args[i] == "-q"):
			b.Quiet = true
		case name != "--db":
			b.bare = false
		}
		switch {
		case !given && slices.Contains(known, name):
			continue
		case !slices.Contains(known, name+"="):
			return b, false
		case !given && i+1 == len(args):
			return b, false
		case !given:
			i++
			value = args[i]
		}
		if name == "--db" {
			b.Database = value
		}
	}
	wanted := 2
	if b.Name == "train" || b.Name == "relabel" {
		wanted = 3
	}
	if len(rest) != wanted || rest[0] != b.Name || b.Database == "" && slices.Contains(args, "--db") {
		return b, false
	}
	if wanted == 3 {
		b.Class = rest[1]
	}
	b.Path = rest[wanted-1]
	return b, b.Path != "" && (wanted == 2 || plainClass(b.Class))
}

// plainClass reports whether the name of a class is valid and cannot be taken for a path.
func plainClass(name string) bool {
	return name != "" && !strings.ContainsAny(name, "./") && !strings.ContainsRune(name, filepath.Separator)
}
