package classify

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store"
)

// ApplyLog is store.DB.ApplyLog for a database that follows a log, and fits the models
// when the log passes set positions: 8 fixed positions for each doubling of the position. There
// it fits everything again, from counts and ledger alone. So, if the ledger keeps all documents in
// full, all followers with the same Options give the same answers at the same position, in whatever
// parts each has applied the log. (Otherwise they do if none has started with fits that another
// lacks. A DCM is fitted when it is asked, in each process.) Training fits nothing else in such a
// database.
//
// The fit at a set position is stored before more is applied. A process that ended in between has
// not made it: so a new process calls ApplyLog, with an empty log if there is none, before the
// first question. One process at a time follows the log: while another fits, the error wraps
// store.ErrInUse.
func (c *Classifier) ApplyLog(ctx context.Context, log []store.Logged) ([]store.Applied, error) {
	c.refit.Lock()
	defer c.refit.Unlock()
	var applied []store.Applied
	for {
		next, err := c.fitFollowed(ctx, log)
		if err != nil || len(log) == 0 {
			return applied, err
		}
		n := 1 // the first is not after next
		for n < len(log) && log[n].Position <= next {
			n++
		}
		part, err := c.db.ApplyLog(ctx, log[:n])
		if applied = append(applied, part...); err != nil {
			return applied, err
		}
		log = log[n:]
	}
}

// RefitAt is Refit at a position of the log for a database that follows it by store.DB.ApplyLog,
// which fits nothing: followers that have applied the same Deltas and refit at the same positions
// give the same answers, as with ApplyLog.
func (c *Classifier) RefitAt(ctx context.Context, position uint64) error {
	c.refit.Lock()
	defer c.refit.Unlock()
	due := false
	if err := c.db.View(func(s *store.Snapshot) error {
		due = c.dueIn(s, calibration.RefitGrowth).any()
		return nil
	}); err != nil || !due {
		return err
	}
	return c.fitAt(ctx, position)
}

// keyFollowed is the key of the set position of the last fit in the database.
const keyFollowed = "calibration/followed"

// fitFollowed fits the models if there is a set position without a fit before the first of
// log or, if log is empty, up to the position of the database. It returns the next set
// position.
func (c *Classifier) fitFollowed(ctx context.Context, log []store.Logged) (next uint64, err error) {
	last, done := uint64(0), uint64(0)
	look := func(s *store.Snapshot) error {
		position, err := s.Position()
		if err != nil {
			return err
		}
		if len(log) > 0 {
			position = max(position, log[0].Position-1)
		}
		done, _ = numberAt(s, keyFollowed)
		last = lastSet(position)
		return nil
	}
	if err := c.db.View(look); err != nil || last <= done {
		return nextSet(max(last, done)), err
	}
	release, claimed, err := c.db.Claim()
	if err == nil && !claimed {
		err = fmt.Errorf("%s: another process fits the models: %w", c.db.Path(), store.ErrInUse)
	}
	if err != nil {
		return 0, err
	}
	defer release()
	if err = c.db.View(look); err == nil && last > done {
		err = c.fitAt(ctx, last)
	}
	return nextSet(max(last, done)), err
}

// fitAt fits everything anew at a position of the log.
func (c *Classifier) fitAt(ctx context.Context, position uint64) error {
	_, err := c.calibrate(ctx, &calibrating{anew: true, followed: position})
	return err
}

// setBits is the number of leading bits that set positions have: 8 of these for each doubling, so
// that a fleet that learns fast does not fit most of the time.
const setBits = 4

// lastSet returns the greatest set position up to p, 0 if there is none.
func lastSet(p uint64) uint64 {
	shift := max(0, bits.Len64(p)-setBits)
	return p >> shift << shift
}

// nextSet returns the set position that follows the set position p.
func nextSet(p uint64) uint64 { return p + 1<<max(0, bits.Len64(p)-setBits) }
