package setting

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/decision"
)

// ErrNoClass is the error of a rate without a class.
var ErrNoClass = errors.New("fpr needs is, the class that others must not be taken for")

// deciders are the settings that choose the answer. If one of them is set, the database's
// own values of all of them are ignored.
var deciders = []string{FPR, Precision, Cost, Prior, Threshold}

// Over returns v, completed by the settings that a database keeps.
func (v Values) Over(kept Values) Values {
	all := maps.Clone(kept)
	if slices.ContainsFunc(deciders, func(name string) bool { return v[name] != "" }) {
		maps.DeleteFunc(all, func(name, _ string) bool { return slices.Contains(deciders, name) })
	}
	if v[Precision] != "" || v[Is] != "" { // these two exclude each other
		delete(all, Is)
		delete(all, Precision)
	}
	maps.Copy(all, v)
	return all
}

// Decide returns the Decision of the settings. d is nil, which means the most probable
// class, if none of them says how to decide. The error names the setting.
func (v Values) Decide() (d decision.Decision, abstain decision.Abstain, err error) {
	if abstain, err = v.abstain(); err != nil {
		return nil, abstain, err
	}
	prior := decision.Prior{}
	if text := v[Prior]; text != "" {
		if prior, err = decision.ParsePrior(text); err != nil {
			return nil, abstain, fmt.Errorf("%s: %w", Prior, err)
		}
	}
	is := v[Is]
	if one, other := v.contradiction(prior.IsDefault()); one != "" {
		return nil, abstain, fmt.Errorf("%s and %s do not go together: each decides alone", one, other)
	}
	switch {
	case v[FPR] != "":
		rate, err := inside(FPR, v[FPR], "a rate above 0 and below 1, such as 0.1% or 0.001")
		if err == nil && is == "" {
			err = ErrNoClass
		}
		return decision.FalsePositiveRate{Positive: is, Rate: rate}, abstain, err
	case v[Precision] != "":
		share, err := inside(Precision, v[Precision], "a share above 0 and below 1, such as 0.9 or 90%")
		return decision.Precision{Share: share}, abstain, err
	case v[Cost] != "":
		costs, err := decision.ParseCosts(strings.Split(v[Cost], "\n"))
		if err != nil {
			return nil, abstain, fmt.Errorf("%s: %w", Cost, err)
		}
		return decision.LeastCost{Costs: costs, Prior: prior, Positive: is}, abstain, nil
	case is != "" && v[Threshold] != "": // it asks for the most probable class in place of the unsure zone
		return decision.LeastCost{Prior: prior, Positive: is}, abstain, nil
	case is != "":
		return decision.Filter{Positive: is, Prior: prior}, abstain, nil
	case !prior.IsDefault():
		return decision.MostProbable{Prior: prior}, abstain, nil
	}
	return nil, abstain, nil
}

// contradiction returns two settings that exclude each other, or "".
func (v Values) contradiction(defaultPrior bool) (one, other string) {
	against := func(one string, others ...string) (string, string) {
		for _, other := range others {
			if v[one] != "" && v[other] != "" && (other != Prior || !defaultPrior) {
				return one, other
			}
		}
		return "", ""
	}
	if one, other = against(FPR, Precision, Cost, Prior); one == "" {
		one, other = against(Precision, Is, Cost, Prior, Threshold)
	}
	return one, other
}

// abstain returns when answers are unsure.
func (v Values) abstain() (a decision.Abstain, err error) {
	if text := v[Threshold]; text != "" {
		if a.Threshold, err = Share(text); err != nil {
			return a, fmt.Errorf("%s %.20s is no probability: want 0 to 1, or 0%% to 100%%", Threshold, text)
		}
	}
	if text := v[MinTerms]; text != "" {
		if a.MinTerms, err = strconv.Atoi(text); err != nil || a.MinTerms < 0 {
			return a, fmt.Errorf("%s %.20s: want a whole number, 0 or more", MinTerms, text)
		}
	}
	if text := v[MinDocuments]; text != "" {
		if a.MinDocuments, err = strconv.ParseUint(text, 10, 64); err != nil {
			return a, fmt.Errorf("%s %.20s: want a whole number, 0 or more", MinDocuments, text)
		}
	}
	return a, nil
}

// inside reads a share above 0 and below 1.
func inside(name, text, want string) (float64, error) {
	x, err := Share(text)
	if err != nil || !(x > 0 && x < 1) {
		return 0, fmt.Errorf("%s %.20q: want %s", name, text, want)
	}
	return x, nil
}

// Share reads a share of 0 to 1, as in 0.01 or 1%.
func Share(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		x /= 100
	}
	if err == nil && (!(x >= 0 && x <= 1)) {
		err = strconv.ErrRange
	}
	return x, err
}
