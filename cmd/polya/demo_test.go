package main

import (
	"strings"
	"testing"
)

func TestSubject(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"Subject: plain\n\n":                               "plain",
		"Subject: =?windows-1251?b?wuD4?=\n\n":             "Ваш",
		"From: a@example.org\n\n":                          "(no subject)",
		"not a message":                                    "(no subject)",
		"Subject: " + strings.Repeat("long ", 20) + "\n\n": "long long long long long long long long long lo…",
	} {
		if got := subject([]byte(raw)); got != want {
			t.Errorf("subject of %q is %q, want %q", raw, got, want)
		}
	}
}
