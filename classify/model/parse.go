package model

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Models returns the event models with their default parameters, in the order for
// display.
func Models() []EventModel {
	return []EventModel{Multinomial{}, Bernoulli{}, DCM{}, Normalised{}, Complement{}}
}

// namedModel is the parser of one kind of model name.
type namedModel struct {
	name    string
	options string // grammar of its parameters, for errors
	read    func(*parameters) EventModel
}

// namedModels are the models that Parse knows, in the order in which an
// error lists them.
var namedModels = []namedModel{
	{"multinomial", "alpha=α", func(p *parameters) EventModel {
		return Multinomial{p.amount("alpha", DefaultMultinomialAlpha)}
	}},
	{"bernoulli", "yes=β₁, no=β₀", func(p *parameters) EventModel {
		return Bernoulli{p.amount("yes", defaultBernoulliPrior), p.amount("no", defaultBernoulliPrior)}
	}},
	{"dcm", "epsilon=ε", func(p *parameters) EventModel {
		return DCM{Epsilon: p.amount("epsilon", DefaultDCMEpsilon)}
	}},
	{"normalised", "jm=λ", func(p *parameters) EventModel {
		return Normalised{p.amount("jm", defaultNormalisedLambda)}
	}},
	{"complement", "alpha=α", func(p *parameters) EventModel {
		return Complement{p.amount("alpha", defaultComplementAlpha)}
	}},
	{"ratio", "weights|documents, alpha=α, bound=b, fields=text|subject|people|other|characters", readRatio},
	{"attributes", "alpha=α, jm=λ", func(p *parameters) EventModel {
		return Attributes{Alpha: p.amount("alpha", DefaultAttributeAlpha), Background: p.amount("jm", 0)}
	}},
}

// Parse returns the event model with this name, as EventModel.Name returns it: a model
// and, after a colon, its parameters in any order, separated by commas. A missing
// parameter has its default. The error lists the valid names, and also.
//
//	multinomial  bernoulli  dcm  normalised  complement  ratio  attributes
//	multinomial:alpha=0.01  bernoulli:yes=0.1,no=0.1  dcm:epsilon=0.1
//	ratio:documents,alpha=0.1,bound=2  ratio:fields=subject
func Parse(name string, also ...string) (EventModel, error) {
	base, rest, colon := strings.Cut(name, ":")
	at := slices.IndexFunc(namedModels, func(n namedModel) bool { return n.name == base })
	if at < 0 {
		var names []string
		for _, n := range namedModels {
			names = append(names, n.name)
		}
		return nil, fmt.Errorf("no event model is called %.40q: want one of %s", base, strings.Join(append(names, also...), ", "))
	}
	var p parameters
	if colon {
		p.left = strings.Split(rest, ",")
	}
	model := namedModels[at].read(&p)
	err := p.err
	if len(p.left) > 0 {
		err = fmt.Errorf("cannot read %.40q: want %s:… with %s", p.left[0], base, namedModels[at].options)
	}
	if err != nil {
		return nil, fmt.Errorf("event model %.80q: %w", name, err)
	}
	return model, Check(model)
}

// Check returns an error for a model with parameters out of range, which would panic in Prepare,
// and for a pointer to a model of this package, which would not be known for what it is.
func Check(m EventModel) error {
	t := reflect.TypeOf(m)
	if m == nil || t.Kind() == reflect.Pointer && t.Elem().PkgPath() == reflect.TypeFor[DCM]().PkgPath() {
		return fmt.Errorf("event model %T: want one of package model, and no pointer", m)
	}
	if c, ok := m.(interface{ check() error }); ok {
		if err := c.check(); err != nil {
			return fmt.Errorf("event model %.80q: %w", m.Name(), err)
		}
	}
	return nil
}

// parameters holds the unread parameters of a name.
type parameters struct {
	left []string
	err  error // the first invalid number
}

// word reads a parameter without a value and reports whether there was one.
func (p *parameters) word(word string) bool {
	at := slices.Index(p.left, word)
	if at >= 0 {
		p.left = slices.Delete(p.left, at, at+1)
	}
	return at >= 0
}

// amount reads the number of parameter key, zero for byDefault and if there is none.
func (p *parameters) amount(key string, byDefault float64) float64 {
	at := slices.IndexFunc(p.left, func(s string) bool { return strings.HasPrefix(s, key+"=") })
	if at < 0 {
		return 0
	}
	text := p.left[at][len(key)+1:]
	value, err := strconv.ParseFloat(text, 64)
	switch {
	case p.err != nil:
	case err != nil:
		p.err = fmt.Errorf("%s=%.40q: want a number", key, text)
	case value == 0:
		p.err = fmt.Errorf("%s=0: want a number above 0", key) // 0 is the default in a model
	}
	p.left = slices.Delete(p.left, at, at+1)
	if value == byDefault {
		return 0
	}
	return value
}

func readRatio(p *parameters) EventModel {
	var m Ratio
	if m.Documents = p.word(documentsName); !m.Documents {
		p.word("weights") // the default
	}
	m.Alpha = p.amount("alpha", defaultRatioAlpha)
	m.Bound = p.amount("bound", defaultRatioBound)
	for f := TextFields; f <= CharacterFields && m.Fields == AllFields; f++ {
		if p.word(fieldsName + f.String()) {
			m.Fields = f
		}
	}
	return m
}

// documentsName is the parameter of a Ratio of Documents, and fieldsName begins that of its Fields.
const (
	documentsName = "documents"
	fieldsName    = "fields="
)

// modelName returns a model's name with its non-empty parameters.
func modelName(base string, parameters ...string) string {
	parameters = slices.DeleteFunc(parameters, func(s string) bool { return s == "" })
	if len(parameters) == 0 {
		return base
	}
	return base + ":" + strings.Join(parameters, ",")
}

// shownAmount returns a parameter with its value, which Parse reads back exactly, and "" if that is
// zero or the default.
func shownAmount(key string, value, byDefault float64) string {
	if value == 0 || value == byDefault {
		return ""
	}
	return key + "=" + strconv.FormatFloat(value, 'g', -1, 64)
}

// maxAmount bounds the numbers added to counts, and minAmount parameters, so that V times them and
// their logarithms are finite.
const maxAmount, minAmount = 1e9, 1e-100

func checkAmount(name string, amount float64) error {
	if !(amount >= minAmount && amount <= maxAmount) {
		return fmt.Errorf("%s=%v: want a number above 0, at most %v", name, amount, float64(maxAmount))
	}
	return nil
}

func checkShare(name string, share float64) error {
	if !(share >= minAmount && share < 1) {
		return fmt.Errorf("%s=%v: want a number between 0 and 1", name, share)
	}
	return nil
}
