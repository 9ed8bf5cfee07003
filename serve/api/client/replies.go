package client

import "github.com/polya-classifier/polya/serve/backend"

// Trained is the reply to a training: what it changed.
type Trained struct {
	Outcome  backend.Outcome `json:"outcome"`
	From     string          `json:"from,omitempty"`    // the class that the message of a decision was learned as before, if any
	FromTags []string        `json:"fromTags,omitzero"` // the same in a database of tags: all that it had
}

// Classes is the reply that lists the names of the classes.
type Classes struct {
	Classes []string `json:"classes"`
}

// Decisions is the reply that lists the last answers.
type Decisions struct {
	Decisions []backend.Decision `json:"decisions"` // the newest first
	Kept      bool               `json:"kept"`      // whether the daemon keeps its answers
}
