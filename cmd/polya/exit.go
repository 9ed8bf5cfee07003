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

func misuse(cmd *cobra.Command, format string, args ...any) error {
	return command.Misuse(cmd, format, args...)
}

func needs(low, high int, what string) cobra.PositionalArgs { return command.Needs(low, high, what) }

func exists(path string) bool { return command.Exists(path) }

func isInterrupted(err error) bool { return errors.Is(err, context.Canceled) }
