package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// The exit codes.
const (
	exitYes      = command.Yes
	exitNo       = command.No
	exitTrouble  = command.Trouble
	exitUnsure   = command.Unsure
	exitTempFail = command.TempFail
)

type answerCode = command.AnswerCode

// A verdict sums up answers as an exit code: whether all documents are of a class.
type verdict struct {
	is         string // the class
	no, unsure bool   // of a document
}

func (v *verdict) add(class string, unsure bool) {
	v.no = v.no || !unsure && class != v.is
	v.unsure = v.unsure || unsure
}

// code returns the exit code as an error.
func (v *verdict) code() error {
	switch {
	case v.no:
		return answerCode(exitNo)
	case v.unsure:
		return answerCode(exitUnsure)
	}
	return nil
}

func misuse(cmd *cobra.Command, format string, args ...any) error {
	return command.Misuse(cmd, format, args...)
}

func needs(low, high int, what string) cobra.PositionalArgs { return command.Needs(low, high, what) }

func exists(path string) bool { return command.Exists(path) }

func isInterrupted(err error) bool { return errors.Is(err, context.Canceled) }
