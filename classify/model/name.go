package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// modelName is a model's name with those of its parameters that are not empty.
func modelName(base string, parameters ...string) string {
	parameters = slices.DeleteFunc(parameters, func(s string) bool { return s == "" })
	if len(parameters) == 0 {
		return base
	}
	return base + ":" + strings.Join(parameters, ",")
}

// amountName is a parameter with its value, which Parse reads back exactly.
func amountName(key string, value float64) string {
	return key + "=" + strconv.FormatFloat(value, 'g', -1, 64)
}

// shownAmount is amountName, or empty if the value is zero or the default.
func shownAmount(key string, value, byDefault float64) string {
	if value == 0 || value == byDefault {
		return ""
	}
	return amountName(key, value)
}

// maxAmount bounds what is added to counts, so that V times it is finite.
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
