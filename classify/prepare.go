package classify

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/sum"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// view calls f with a snapshot and the model prepared for it.
func (c *Classifier) view(f func(*store.Snapshot, *prepared) error) error {
	if c.db.Tags() {
		return fmt.Errorf("%s: %w", c.db.Path(), ErrHasTags)
	}
	return c.db.View(func(s *store.Snapshot) error {
		p, err := c.prepare(s)
		if err != nil {
			return err
		}
		return f(s, p)
	})
}

// prepare returns the model prepared for the totals of s, reusing the one of the last
// question if nothing was learned and no fit stored since.
func (c *Classifier) prepare(s *store.Snapshot) (*prepared, error) {
	c.mu.Lock()
	p, once := c.prepared, !c.asked
	c.asked = true
	c.mu.Unlock()
	if p != nil && p.state == s.StateDigest() && sameClasses(p.classes, s.Classes()) {
		return p, nil
	}
	p, err := c.newPrepared(source{s, once}, c.options.Model)
	if err != nil {
		return nil, err
	}
	p.state = s.StateDigest()
	if decision.PartsOf(decision.Among(c.options.Decision, p.classes)).NeedsRecord && p.calibrated != nil {
		p.record = c.readRecord(s)
	}
	if !once { // a process that asks a second time will ask more
		c.mu.Lock()
		c.prepared = p
		c.mu.Unlock()
	}
	return p, nil
}

// source is the snapshot from which a model is prepared. With once the model answers one question:
// what it is made of is then valid only as long as the snapshot.
type source struct {
	*store.Snapshot
	once bool
}

// newPrepared prepares a model with its stored fits.
func (c *Classifier) newPrepared(s source, asked Model) (*prepared, error) {
	t, err := allTotals(s.Snapshot)
	if err != nil {
		return nil, err
	}
	return c.preparedFor(s, &sum.Sum{Classes: t.Classes, Prior: t.Classes, Totals: t}, asked), nil
}

// preparedFor prepares a model for the counts of s, or for the sum of these and others.
func (c *Classifier) preparedFor(s source, all *sum.Sum, asked Model) *prepared {
	t, counted := all.Totals, all.Totals
	counted.Classes, counted.Documents = all.Classes, count.Documents(all.Classes)
	p := &prepared{
		classes: all.Classes, attributes: t.Attributes, priorOnly: decision.LogPrior(all.Prior), once: s.once,
	}
	parts := decision.PartsOf(c.options.Decision)
	p.shift = parts.Prior.Shift(all.Prior)
	for class, shift := range p.shift {
		p.priorOnly[class] += shift
	}
	stack, calibrated := c.bind(s, counted, asked)
	own := model.Resemblance{Times: all.Times, Base: all.Prior}
	if own.Times > 0 && !c.options.Raw {
		stack.Components = append(stack.Components, model.Component{Model: own, Weight: 1})
	}
	p.scorer, p.levels = stack.Prepare(t), stack.Levels()
	p.reads, p.calibrated = stack.Reads(t), calibrated
	if _, is := asked.(Auto); is && !c.options.Raw {
		p.recent = c.correctionOf(s, p.classes, calibrated)
	}
	p.contributing = model.NewTermSums(p.scorer, len(p.classes))
	p.prior = scaled(decision.LogPrior(all.Prior), stack.PriorWeight)
	p.contradiction = contradictionOf(parts.Positive, t, calibrated, own)
	if k := p.contributing; k != nil {
		k.FieldsOf = tagged.FieldsOf
		if p.contradiction != nil {
			k.Strong = p.contradiction.ratio
		}
	}
	return p
}

// sameClasses reports whether a and b are the same totals: totals of a snapshot are
// immutable, so the same memory holds the same counts.
func sameClasses(a, b []*count.Class) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// bind returns the Stack that answers for the model asked, with its stored fits, or shrunk without
// any.
func (c *Classifier) bind(s source, t model.Totals, asked Model) (model.Stack, *calibration.Model) {
	var k *calibration.Calibration
	if !c.options.Raw {
		k = c.calibrations.read(s.Snapshot)
	}
	stack := c.dcm.fill(asStack(asked), s.Snapshot, t.Classes, false)
	if c.options.Raw && stack.Label != stackName {
		return rawStack(stack, t), nil
	}
	stack = stack.WithAttributes(t, c.options.Raw)
	if k.Model(stack.Label) == nil {
		stack = stack.Shrunk(t)
	}
	stack = applied(k, stack, t.Classes)
	stack.Components = slices.Clone(stack.Components)
	for i := range stack.Components {
		part := &stack.Components[i]
		if part.IsLayer() {
			of := c.calibrations.layerOf(s, k)
			if of.Attributes, of.Fields = part.IsAttribute(), part.Fields(); of.Weights == nil {
				part.Weight = 0
			}
			part.Model = of
		}
	}
	return stack, k.Model(stack.Label)
}

// rawStack returns the stack of one model and of the database's attributes, with all
// weights 1.
func rawStack(stack model.Stack, t model.Totals) model.Stack {
	stack = stack.WithAttributes(t, true)
	stack.PriorWeight = 1
	for i := range stack.Components {
		stack.Components[i] = model.Component{Model: stack.Components[i].Model, Weight: 1}
	}
	return stack
}
