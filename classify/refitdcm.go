package classify

import (
	"context"

	"github.com/polya-classifier/polya/store"
)

// fitDCM fits the DCM of the classes whose fit is too old.
func (c *Classifier) fitDCM(ctx context.Context) error {
	state := make(map[string][]byte)
	err := c.db.Aside(func(s *store.Snapshot) error {
		fits := readFits(s)
		due := dueFits(s.Classes(), fits, s.Vocabulary())
		if len(due) == 0 {
			return nil
		}
		err := fitClasses(ctx, s, due, fits)
		for _, i := range due {
			state[fitKey(s.Classes()[i].ID)], _ = fits[i].MarshalBinary()
		}
		return err
	})
	if err != nil || len(state) == 0 {
		return err
	}
	return c.putFits(state)
}

// claimed runs fit unless another process is fitting now, which will do.
func (c *Classifier) claimed(fit func() error) error {
	release, claimed, err := c.db.Claim()
	if err != nil || !claimed {
		return err
	}
	defer release()
	return fit()
}

// putFits keeps state, after which models are prepared anew.
func (c *Classifier) putFits(state map[string][]byte) error {
	err := c.db.PutState(state)
	c.mu.Lock()
	c.fitted++
	c.mu.Unlock()
	return err
}
