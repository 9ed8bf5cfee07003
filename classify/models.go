package classify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/model"
)

// Model is an event model (package model), or Auto, Average or Gibbs, which choose among
// event models by their loss on the calibration sample. ParseModel reads its Name.
type Model interface {
	Name() string
}

// Auto answers with the event model of least loss on the calibration sample, nearly
// always the Stack; without a Calibration with the Stack and its default weights.
type Auto struct{}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// Average answers with the mean of the posteriors of several models, which is
// Bayes-optimal if the right model is unknown:
//
//	p(c|d) = Σ_m w_m p_m(c|d),  w_m ∝ exp(-Sample × Loss_m)
//
// over the models of the database's Calibration, each calibrated. The weights are the
// probabilities of the models given the classes of the calibration sample (T. Mitchell,
// Machine Learning, 1997, section 6.7). With many documents one model has all the weight.
// Without a Calibration it is Auto.
type Average struct{}

// Name returns "average".
func (Average) Name() string { return "average" }

// Gibbs answers with one of the models of Average, drawn for each document with their
// weights there. Its expected error is at most twice that of the Bayes-optimal Average
// (Haussler, Kearns and Schapire, Machine Learning 14, 1994). The same seed draws the
// same model for the same terms.
type Gibbs struct {
	// Seed seeds the draws.
	Seed uint64
}

// Name returns "gibbs", with the seed if it is not 0.
func (m Gibbs) Name() string {
	if m.Seed == 0 {
		return "gibbs"
	}
	return fmt.Sprintf("gibbs:seed=%d", m.Seed)
}

// checkModel returns an error for an invalid Model.
func checkModel(m Model) error {
	switch m := m.(type) {
	case Auto, Average, Gibbs:
		return nil
	case model.EventModel:
		return model.Check(m)
	case nil:
		return model.Check(nil)
	}
	return fmt.Errorf("event model %T: want one of package model, Auto, Average or Gibbs", m)
}

// identity is the same for two models if they give the same answers; see model.Identity.
func identity(m Model) string {
	if m, ok := m.(model.EventModel); ok {
		return model.Identity(m)
	}
	return m.Name()
}

// hasRates returns an error for a model whose false-positive rates are never known.
func hasRates(m Model) error {
	switch m.(type) {
	case Average, Gibbs:
		return fmt.Errorf("event model %q does not go with a false-positive rate: rates are known of single models", m.Name())
	}
	return nil
}

// ParseModel returns the Model with this Name: one that model.Parse knows, or
//
//	auto  stack  average  gibbs  gibbs:seed=7
//
// The error lists the names.
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

// readGibbs reads the seed, and returns the other parameters too.
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
