package model

import (
	"fmt"
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
	{"multinomial", "log|binary, mean|map|ml, alpha=α|m=m|jm=λ|dirichlet=μ|discount=δ", readMultinomial},
	{"bernoulli", "mean|map|ml, yes=β₁, no=β₀", readBernoulli},
	{"dcm", "edcm, map|ml, epsilon=ε", readDCM},
	{"normalised", "jm=λ", readNormalised},
	{"complement", "normalised, alpha=α", readComplement},
	{"ratio", "weights|documents, alpha=α, bound=b, fields=text|subject|people|other|characters|pairs", readRatio},
	{"attributes", "mean|map|ml, proportional, student|gaussian|sample, shared, alpha=α, jm=λ", readAttributes},
}

// Parse returns the event model with this name, as EventModel.Name returns it: a model
// and, after a colon, its parameters in any order, separated by commas. A missing
// parameter has its default. The error lists the valid names.
//
//	multinomial  bernoulli  dcm  normalised  complement
//	multinomial:alpha=0.01  multinomial:log,jm=0.7  multinomial:binary,dirichlet=1000
//	multinomial:discount=0.8  multinomial:m=10  multinomial:ml  multinomial:map,alpha=2
//	bernoulli:yes=0.1,no=0.1  bernoulli:ml  dcm:epsilon=0.1  dcm:edcm  dcm:ml
//	normalised:jm=0.9  complement:normalised,alpha=1
//	attributes  attributes:alpha=0.5,gaussian  attributes:ml,sample
//	ratio:documents,alpha=0.1,bound=2  ratio:fields=subject
func Parse(name string) (EventModel, error) {
	base, rest, colon := strings.Cut(name, ":")
	at := slices.IndexFunc(namedModels, func(n namedModel) bool { return n.name == base })
	if at < 0 {
		return nil, fmt.Errorf("no event model is called %.40q: want one of %s", base, strings.Join(Names(), ", "))
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
	if c, ok := model.(interface{ check() error }); ok && err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, fmt.Errorf("event model %.80q: %w", name, err)
	}
	return model, nil
}

// Names returns the names that Parse knows, without parameters.
func Names() []string {
	var names []string
	for _, n := range namedModels {
		names = append(names, n.name)
	}
	return names
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

// number reads the parameter key, and reports whether there was one.
func (p *parameters) number(key string) (value float64, given bool) {
	at := slices.IndexFunc(p.left, func(s string) bool { return strings.HasPrefix(s, key+"=") })
	if at < 0 {
		return 0, false
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
	return value, true
}

// amount reads the parameter key; byDefault is returned as zero.
func (p *parameters) amount(key string, byDefault float64) float64 {
	if value, _ := p.number(key); value != byDefault {
		return value
	}
	return 0
}

// estimator reads an estimator; the model's default is returned as DefaultEstimator.
func (p *parameters) estimator(byDefault Estimator) Estimator {
	for e := PosteriorMean; e <= MaximumLikelihood; e++ {
		if p.word(e.String()) {
			if e == byDefault {
				break
			}
			return e
		}
	}
	return DefaultEstimator
}

func readMultinomial(p *parameters) EventModel {
	var m Multinomial
	for n := LogCounts; n <= Binary && m.Count == Occurrences; n++ {
		if p.word(n.String()) {
			m.Count = n
		}
	}
	m.Estimator = p.estimator(PosteriorMean)
	for method := byAlpha; method <= byDiscount; method++ {
		value, given := p.number(smoothingNames[method])
		if !given {
			continue
		}
		if method != byAlpha || value != DefaultMultinomialAlpha {
			m.Smoothing = Smoothing{method, value}
		}
		break
	}
	return m
}

func readBernoulli(p *parameters) EventModel {
	return Bernoulli{
		Estimator: p.estimator(PosteriorMean),
		Yes:       p.amount("yes", defaultBernoulliPrior),
		No:        p.amount("no", defaultBernoulliPrior),
	}
}

func readDCM(p *parameters) EventModel {
	return DCM{
		Exponential: p.word("edcm"),
		Estimator:   p.estimator(PosteriorMode),
		Epsilon:     p.amount("epsilon", DefaultDCMEpsilon),
	}
}

func readNormalised(p *parameters) EventModel {
	return Normalised{Lambda: p.amount("jm", defaultNormalisedLambda)}
}

func readComplement(p *parameters) EventModel {
	m := Complement{Normalised: p.word("normalised")}
	m.Alpha = p.amount("alpha", m.byDefault())
	return m
}

func readRatio(p *parameters) EventModel {
	var m Ratio
	if p.word(Documents.String()) {
		m.Of = Documents
	} else {
		p.word(Weights.String())
	}
	m.Alpha = p.amount("alpha", defaultRatioAlpha)
	m.Bound = p.amount("bound", defaultRatioBound)
	for f := TextFields; f <= PairFields && m.Fields == AllFields; f++ {
		if p.word(fieldsName + f.String()) {
			m.Fields = f
		}
	}
	return m
}

// fieldsName begins the parameter of a Ratio's Fields.
const fieldsName = "fields="

func readAttributes(p *parameters) EventModel {
	m := Attributes{Estimator: p.estimator(PosteriorMean)}
	for d := StudentT; d <= SampleGaussian; d++ {
		if p.word(d.String()) {
			m.Density = d
			break
		}
	}
	m.Shared, m.Proportional = p.word(sharedName), p.word(proportionalName)
	m.Alpha = p.amount("alpha", DefaultAttributeAlpha)
	m.Background = p.amount("jm", 0)
	return m
}

// modelName returns a model's name with its non-empty parameters.
func modelName(base string, parameters ...string) string {
	parameters = slices.DeleteFunc(parameters, func(s string) bool { return s == "" })
	if len(parameters) == 0 {
		return base
	}
	return base + ":" + strings.Join(parameters, ",")
}

// amountName returns a parameter with its value, which Parse reads back exactly.
func amountName(key string, value float64) string {
	return key + "=" + strconv.FormatFloat(value, 'g', -1, 64)
}

// shownAmount returns amountName, or "" if the value is zero or the default.
func shownAmount(key string, value, byDefault float64) string {
	if value == 0 || value == byDefault {
		return ""
	}
	return amountName(key, value)
}

// maxAmount bounds the numbers added to counts, so that V times them is finite.
const maxAmount = 1e9

func checkAmount(name string, amount float64) error {
	if !(amount > 0 && amount <= maxAmount) {
		return fmt.Errorf("%s=%v: want a number above 0, at most %v", name, amount, float64(maxAmount))
	}
	return nil
}

func checkShare(name string, share float64) error {
	if !(share > 0 && share < 1) {
		return fmt.Errorf("%s=%v: want a number between 0 and 1", name, share)
	}
	return nil
}

// must panics if the parameters of a model are wrong.
func must(err error) {
	if err != nil {
		panic("model: " + err.Error())
	}
}
