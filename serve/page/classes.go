package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/serve/overview"
)

// classes is the data of the screen of that name.
type classes struct {
	overview.Statistics
	Most     uint64                    // documents of the largest class
	Deleting string                    // the class that is to be deleted, "" if none is
	Changing *overview.ClassStatistics // the class whose name is to be changed, nil if none is
}

// Lacking returns the classes that have too few documents.
func (c *classes) Lacking() []overview.ClassStatistics {
	return slices.DeleteFunc(slices.Clone(c.Statistics.Classes), func(k overview.ClassStatistics) bool { return k.Needs == 0 })
}

// Revocable reports whether the ledger keeps what is needed to take any document back.
func (c *classes) Revocable() bool { return c.Ledger == "full" }

func (p *page) classes(v *visit) error {
	b := new(classes)
	if v.posted() {
		if err := p.changeClass(v, b); err != nil {
			return err
		}
	}
	var err error
	if b.Statistics, err = p.Admin.Statistics(v, v.User); err != nil {
		return err
	}
	for _, k := range b.Statistics.Classes {
		b.Most = max(b.Most, k.Documents)
		if k.Name == v.field("class") && v.Status == nil {
			b.Changing = &k
		}
	}
	v.Screen, v.Title, v.Body = "classes", "Classes", b
	return nil
}

// changeClass renames, merges or deletes a class. To delete a class the user has to type its name.
func (p *page) changeClass(v *visit, b *classes) (err error) {
	class, done := v.form.Get("class"), ""
	switch v.form.Get("do") {
	case "rename":
		name := strings.TrimSpace(v.form.Get("name"))
		err, done = p.Admin.Rename(v, v.User, class, name), fmt.Sprintf("%s is called %s now.", class, name)
	case "merge":
		into := v.form.Get("into")
		err, done = p.Admin.Merge(v, v.User, class, into), fmt.Sprintf("The documents of %s are of %s now.", class, into)
	case "delete":
		if b.Deleting = class; !v.form.Has("typed") {
			return nil
		}
		if strings.TrimSpace(v.form.Get("typed")) != class {
			v.Status = &status{Text: "Nothing was deleted: what you typed is not the name of the class."}
			return nil
		}
		b.Deleting = ""
		err, done = p.Admin.Delete(v, v.User, class), fmt.Sprintf("%s and all that was learned of it are deleted.", class)
		if v.Tags {
			done = fmt.Sprintf("%s is taken from all documents.", class)
		}
	default:
		return nil
	}
	if err != nil {
		return err
	}
	v.Status = &status{Text: done}
	v.Classes, err = p.Backend.Classes(v, v.User)
	return err
}
