package page

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
)

// shownChoices is the number of likeliest classes that have a button.
const shownChoices = 5

// picker are the classes that a form offers to teach.
type picker struct {
	Choices []choice
	Taught  []string // as which the message is learned
}

// choice is a class that the user can choose.
type choice struct {
	Class       string
	Probability float64 // 0 if it is not known
}

// picker offers the likeliest classes, the one taught last, and the one that it is taught as.
func (v *visit) picker(likeliest []choice, taught string) picker {
	list := slices.Clone(likeliest[:min(len(likeliest), shownChoices)])
	offer := func(class string) {
		if !slices.ContainsFunc(list, func(c choice) bool { return c.Class == class }) && slices.Contains(v.Classes, class) {
			list = append(list, choice{Class: class})
		}
	}
	for _, class := range v.Classes[:min(len(v.Classes), shownChoices)] {
		if len(v.Classes) <= shownChoices || len(likeliest) == 0 {
			offer(class)
		}
	}
	if last, some := v.page.last.Load(v.User); some {
		offer(last.(string))
	}
	for _, class := range v.each(taught) {
		offer(class)
	}
	return picker{list, v.each(taught)}
}

// each returns the tags that a message is taught to have, or its class.
func (v *visit) each(taught string) []string {
	if !v.Tags {
		return []string{taught}
	}
	return backend.Tags(taught)
}

// with returns what a message taught before is to be taught when a class is chosen: that or, of
// tags, more. If takes is set, tags that it has all are taken from it.
func (v *visit) with(before, class string, takes bool) string {
	if !v.Tags {
		return class
	}
	has, chosen := v.each(before), v.each(class)
	lacks := slices.ContainsFunc(chosen, func(tag string) bool { return !slices.Contains(has, tag) })
	if takes && !lacks {
		return backend.ClassOf(slices.DeleteFunc(has, func(tag string) bool { return slices.Contains(chosen, tag) }))
	}
	return backend.ClassOf(append(has, chosen...))
}

// one returns how a class of the list of classes is stated.
func (v *visit) one(class string) string {
	if v.Tags {
		return backend.ClassOf([]string{class})
	}
	return class
}

// probable are the classes of an explanation with their probabilities.
func probable(x *answer.Explanation) (list []choice) {
	for i, class := range x.Classes {
		list = append(list, choice{class, x.Posterior[i]})
	}
	return list
}

// naming asks which class is meant by letters that name none, or several.
type naming struct {
	Typed  string
	Near   []string   // classes that they may mean
	Fields url.Values // of the form that was sent, without those that name a class
}

// class returns the class that a form says: by the button of one, by letters, or as a new one. It is
// "" if the form says none that there is, and the view then asks for it.
func (v *visit) class() (string, error) {
	if class := v.form.Get("teach"); class != "" {
		return v.one(class), nil
	}
	typed := strings.TrimSpace(v.form.Get("other"))
	found := matching(typed, v.Classes)
	switch {
	case len(found) == 1 && (!v.form.Has("new") || strings.EqualFold(found[0], typed)):
		return v.one(found[0]), nil
	case v.form.Has("new") && typed != "":
		return typed, v.page.Admin.Make(v, v.User, typed, false)
	case typed == "" && !v.form.Has("new"):
		v.Status = &status{Text: "Nothing was taught: choose a class."}
		return "", nil
	}
	fields := maps.Clone(v.form.Values)
	maps.DeleteFunc(fields, func(name string, _ []string) bool { return name == "teach" || name == "other" || name == "new" })
	v.Naming = &naming{typed, found[:min(len(found), 2*shownChoices)], fields}
	return "", nil
}

// matching returns the class of that name, or those that begin with the letters, or have them.
func matching(letters string, classes []string) (found []string) {
	letters = strings.ToLower(letters)
	for _, fits := range []func(name, letters string) bool{strings.EqualFold, strings.HasPrefix, strings.Contains} {
		for _, class := range classes {
			if letters != "" && fits(strings.ToLower(class), letters) {
				found = append(found, class)
			}
		}
		if found != nil {
			break
		}
	}
	return found
}

// Longest name of a class that is shown whole, and the characters shown of both ends of a longer one.
const wholeName, nameBegin, nameEnd = 34, 18, 13

// middle returns the name of a class without its middle, "" if it is short.
func middle(name string) string {
	r := []rune(name)
	if len(r) <= wholeName {
		return ""
	}
	return fmt.Sprintf("%s…%s", string(r[:nameBegin]), string(r[len(r)-nameEnd:]))
}

// brief returns the name of a class as a sentence has it.
func brief(name string) string {
	if name == "," {
		return "no tag"
	}
	return cmp.Or(middle(name), name)
}
