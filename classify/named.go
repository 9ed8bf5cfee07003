package classify

import (
	"fmt"
	"github.com/polya-classifier/polya/classify/model"
	"slices"
	"strconv"
	"strings"
)

// ParseModel returns the Model of that name: what Model.Name returns. Beside
// the names that model.Parse knows there are
//
//	auto  stack  average  gibbs  gibbs:seed=7
//
// The error names what there is.
func ParseModel(name string) (Model, error) {
	base, rest, colon := strings.Cut(name, ":")
	var left []string
	if colon {
		left = strings.Split(rest, ",")
	}
	var m Model
	want, err := "nothing", error(nil)
	switch base {
	case "auto":
		m = Auto{}
	case stackName:
		m = defaultStack()
	case "average":
		m = Average{}
	case "gibbs":
		want = "seed=n"
		m, left, err = readGibbs(left)
	default:
		if names := model.Names(); !slices.Contains(names, base) {
			names = append(names, "auto", stackName, "average", "gibbs")
			return nil, fmt.Errorf("no event model is called %.40q: want one of %s", base, strings.Join(names, ", "))
		}
		return model.Parse(name)
	}
	if len(left) > 0 {
		err = fmt.Errorf("cannot read %.40q: want %s:… with %s", left[0], base, want)
	}
	if err != nil {
		return nil, fmt.Errorf("event model %.80q: %w", name, err)
	}
	return m, nil
}

// readGibbs returns the parameters that are left too.
func readGibbs(parameters []string) (m Gibbs, left []string, err error) {
	at := slices.IndexFunc(parameters, func(s string) bool { return strings.HasPrefix(s, "seed=") })
	if at < 0 {
		return m, parameters, nil
	}
	digits := parameters[at][len("seed="):]
	if m.Seed, err = strconv.ParseUint(digits, 10, 64); err != nil {
		err = fmt.Errorf("seed=%.40q: want a whole number", digits)
	}
	return m, slices.Delete(parameters, at, at+1), err
}
