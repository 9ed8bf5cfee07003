package statistics

import (
	"fmt"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// latestJSON is the accuracy on the latest documents.
type latestJSON struct {
	Documents int             `json:"documents"`
	Since     time.Time       `json:"since"`
	Loss      terminal.Number `json:"log_loss"`
	Before    terminal.Number `json:"log_loss_before"`
	Unlike    bool            `json:"unlike"`
}

// String returns it as a line of text.
func (l *latestJSON) String() string {
	return fmt.Sprintf("%s nats on %s since %s, %s by what was learned before", Loss(float64(l.Loss)),
		terminal.Counted(l.Documents, "document", "documents"), l.Since.Format(time.DateOnly), Loss(float64(l.Before)))
}

// warning returns a warning for the user, "" if none is needed.
func (l *latestJSON) warning() string {
	if l == nil || !l.Unlike {
		return ""
	}
	return "The latest documents are unlike those before them, which did not prepare for them. If\n" +
		"those to come are as new, answers will be wrong more often than they say. 'polya help\n" +
		"calibrate' explains how this is told.\n"
}
