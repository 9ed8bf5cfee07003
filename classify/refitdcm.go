package classify

import (
	"context"

	"github.com/polya-classifier/polya/store"
)

// fitDCM fits the DCM of the classes whose fit is too old.
func (c *Classifier) fitDCM(ctx context.Context) error {
	var g calibrating
	err := c.db.Aside(func(s *store.Snapshot) error {
		g.classes, g.fits = s.Classes(), readFits(s, s.Classes())
		return g.fitDCM(ctx, s)
	})
	if err != nil {
		return err
	}
	return c.putFits(g.newFits())
}

// claimed runs fit unless another process is fitting now.
func (c *Classifier) claimed(fit func() error) error {
	release, claimed, err := c.db.Claim()
	if err != nil || !claimed {
		return err
	}
	defer release()
	return fit()
}

// putFits stores state, after which models are prepared again.
func (c *Classifier) putFits(state map[string][]byte) error {
	if len(state) == 0 {
		return nil
	}
	err := c.db.PutState(state)
	c.mu.Lock()
	c.fitted++
	c.mu.Unlock()
	return err
}
