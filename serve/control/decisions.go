package control

import (
	"context"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/control/internal/wire"
)

// A Keeper has the last answers, and learns from them.
type Keeper interface {
	// Keeps reports whether answers are kept at all.
	Keeps() bool
	// Decisions returns the last answers, for all users if user is "", the newest first.
	Decisions(user string, limit int) ([]backend.Decision, error)
	// Teach learns the message of a decision as class, or moves it there, and also returns
	// the class that it had before.
	Teach(ctx context.Context, user, id, class, by string) (outcome backend.Outcome, from string, err error)
}

// errNotKept says how to have decisions kept.
var errNotKept = errors.New("no decisions are kept: in the configuration of the daemon, keep = true in [decisions] keeps them")

const (
	maxDecisions = 1 << 20 // more than the files have room for
	minDigits    = 8       // of an id
)

func (s *Server) keeper() (Keeper, error) {
	if s.options.Keeper == nil || !s.options.Keeper.Keeps() {
		return nil, errNotKept
	}
	return s.options.Keeper, nil
}

// decisions replies with the last decisions for a user, or for all if user is "": at most
// limit, or all if limit is 0.
func (s *Server) decisions(user string, limit int) ([]byte, error) {
	k, err := s.keeper()
	if err != nil {
		return nil, err
	}
	kept, err := k.Decisions("", maxDecisions)
	if err != nil {
		return nil, err
	}
	reply := wire.Decisions{Digits: digits(kept), List: kept}
	if user != "" {
		if reply.List, err = k.Decisions(user, maxDecisions); err != nil {
			return nil, err
		}
	}
	if limit > 0 {
		reply.List = reply.List[:min(limit, len(reply.List))]
	}
	return wire.AppendDecisions(nil, &reply), nil
}

// digits returns the number of leading digits that distinguish every id from all others.
func digits(kept []backend.Decision) int {
	ids := make([]string, len(kept))
	for i, d := range kept {
		ids[i] = d.ID
	}
	slices.Sort(ids)
	n := minDigits
	for i := 1; i < len(ids); i++ {
		a, b := ids[i-1], ids[i]
		if a == b {
			continue
		}
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		n = max(n, same+1)
	}
	return n
}

// teach learns the message of a decision.
func (s *Server) teach(ctx context.Context, user string, q *wire.Request) ([]byte, error) {
	k, err := s.keeper()
	if err != nil {
		return nil, err
	}
	outcome, from, err := k.Teach(ctx, user, q.ID, q.Class, q.Source)
	return wire.AppendTaught(nil, outcome, from), err
}
