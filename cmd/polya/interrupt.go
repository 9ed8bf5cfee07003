package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
)

// listen has Ctrl-C and its like end the context of a command, which then says what
// it leaves behind. To listen takes threads, which to start costs a tenth of what the
// answer about a message takes: a command that is over at once is ended by the signal
// itself. What it has learned is in the database or is not, nothing between.
func (p *program) listen(cmd *cobra.Command, args []string) {
	if isBrief(cmd, args) {
		return
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	cmd.SetContext(ctx)
	p.waiting.ctx = ctx
	p.stopListening = stop
}

// isBrief says whether the command asks about or learns one document.
func isBrief(cmd *cobra.Command, args []string) bool {
	switch cmd.Name() {
	case "version":
		return true
	case "train":
		// CLASS PATH, if CLASS is no path as after --labelled.
		return len(args) == 2 && !exists(args[0]) && reading.IsSmallFile(args[1])
	case "classify":
		return len(args) == 1 && reading.IsSmallFile(args[0])
	}
	return false
}

// leaveOpen does not close a database of which nothing was written, as the process ends
// anyway: to close it takes longer than to leave it.
func leaveOpen(*classify.Classifier) {}
