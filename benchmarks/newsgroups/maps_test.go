//go:build unix

package main

import (
	"slices"
	"testing"
)

// The example of Manning, Raghavan and Schütze, Introduction to Information Retrieval
// (2008), table 13.1: the fifth document is of class China.
func TestMaps(t *testing.T) {
	m := new(inMaps)
	docs := []document{
		{class: "china", text: []byte("Chinese Beijing Chinese")},
		{class: "china", text: []byte("Chinese Chinese Shanghai")},
		{class: "china", text: []byte("Chinese Macao")},
		{class: "other", text: []byte("Tokyo Japan Chinese")},
	}
	if err := m.learn(docs); err != nil {
		t.Fatal(err)
	}
	classes, _, err := m.answer([]document{{text: []byte("Chinese Chinese Chinese Tokyo Japan")}, {text: []byte("tokyo JAPAN")}})
	if err != nil || !slices.Equal(classes, []string{"china", "other"}) {
		t.Errorf("answers %q, %v", classes, err)
	}
}
