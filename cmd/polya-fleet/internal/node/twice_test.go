package node

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
)

// Of two processes with one name the one that came second ends, with an error, in the cluster of
// a log and at servers elsewhere.
func TestTwice(t *testing.T) {
	t.Parallel()
	for _, cluster := range []bool{false, true} {
		var of [3]*config.Config
		dirs, first, second := [3]string{}, [3]string{free(t), free(t), free(t)}, [3]string{free(t), free(t), free(t)}
		for i, name := range []string{"a", "b", "b"} {
			text := "nodes = [\"a\", \"b\"]\n"
			switch dirs[i] = short(t); {
			case cluster || i == 0:
				text += fmt.Sprintf("[server]\nlisten = %q\ncluster = %q\nroutes = [%q]\n", first[i], second[i], second[1-min(i, 1)])
			default:
				text += fmt.Sprintf("[nats]\nurls = [%q]\n", "nats://"+first[0])
			}
			of[i] = configure(t, dirs[i], name, text)
		}
		runNode(t, of[0])
		runNode(t, of[1])
		f := connect(t, dirs[0], of[0])
		f.until("both nodes", are(NoLog))
		var log syncBuffer
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if err := Run(ctx, of[2], "of a test", &log, nil); !errors.Is(err, errTwice) {
			t.Errorf("the second process: %v\n%s", err, log.String())
		}
		f.until("both nodes again", are(NoLog))
	}
}
