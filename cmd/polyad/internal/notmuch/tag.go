package notmuch

import (
	"context"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/classify"
)

// Tag classifies the new messages of the configuration's query, each once, and gives them the
// tags that reach the target precision. Messages without a tag are counted as background.
func (t *Tagger) Tag(ctx context.Context) (done Done, err error) {
	if err := t.recover(ctx); err != nil {
		return done, err
	}
	all, err := t.program.messages(ctx, t.config.New)
	if err != nil {
		return done, err
	}
	for part := range slices.Chunk(all, batch) {
		if err := t.tagPart(ctx, part, &done); err != nil {
			return done, err
		}
	}
	return done, t.refit(ctx)
}

// tagPart records tags before it sets them, and again afterwards, so that a missing tag is
// known to be either not set yet or a correction.
func (t *Tagger) tagPart(ctx context.Context, part []message, done *Done) error {
	before, err := t.program.revision(ctx)
	if err != nil {
		return err
	}
	var b classify.Batch
	var changes []change
	set := map[string][]string{}
	for i := range part {
		m := &part[i]
		done.Messages++
		add, err := t.judge(ctx, m, &b, done)
		if err != nil {
			return err
		}
		if len(add) > 0 {
			done.Tagged++
			set[m.ID] = t.ours(slices.Concat(m.Tags, add))
		}
		if c := t.change(m, add); c != nil {
			changes = append(changes, *c)
		}
	}
	if t.dry {
		return nil
	}
	if err := t.apply(ctx, &b); err != nil {
		return err
	}
	if err := t.memory.pend(before, set); err != nil {
		return err
	}
	if err := t.program.tag(ctx, changes); err != nil {
		return err
	}
	return t.memory.settle(set)
}

// judge returns the tags to add to a message: none if it was learned or tagged before, or if
// somebody else gave it tags of the configuration.
func (t *Tagger) judge(ctx context.Context, m *message, b *classify.Batch, done *Done) (add []string, err error) {
	set, err := t.memory.set(m.ID)
	if err != nil || set != nil || len(t.ours(m.Tags)) > 0 {
		return nil, err
	}
	d, err := t.document(m)
	if err != nil {
		return nil, err
	}
	if d == nil {
		done.Missing++
		return nil, nil
	}
	if known, err := t.known(d.ID); err != nil || known != nil {
		return nil, err
	}
	result, err := t.tagger.Score(ctx, *d)
	if err != nil {
		return nil, err
	}
	for _, s := range result.Scores {
		if s.Speaks && slices.Contains(t.config.Tags, s.Tag) {
			add = append(add, s.Tag)
		}
	}
	if len(add) == 0 {
		return nil, t.learn(b, d, nil, done)
	}
	return add, nil
}

// change returns the change of the tags of a message, nil if there is none.
func (t *Tagger) change(m *message, add []string) *change {
	c := &change{id: m.ID, add: slices.Clone(add)}
	for _, then := range t.config.Then {
		tag, has := then[1:], slices.Contains(m.Tags, then[1:])
		switch {
		case then[0] == '+' && !has:
			c.add = append(c.add, tag)
		case then[0] == '-' && has:
			c.remove = append(c.remove, tag)
		}
	}
	if len(c.add)+len(c.remove) == 0 {
		return nil
	}
	if t.Changed != nil {
		t.Changed(m.ID, c.add, c.remove)
	}
	return c
}

// recover completes a run that was stopped between recording tags and recording that they
// were set. A message that has not changed since was not tagged, and is new again. If it has
// changed and has other tags, that may or may not be a correction: its tags are accepted and
// not learned.
func (t *Tagger) recover(ctx context.Context) error {
	pending, err := t.memory.pending()
	if err != nil || len(pending) == 0 || t.dry {
		return err
	}
	before, err := t.memory.revision(keyBefore)
	if err != nil {
		return err
	}
	now, err := t.program.revision(ctx)
	if err != nil {
		return err
	}
	set := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(pending)) {
		found, err := t.program.messages(ctx, idQuery(id))
		if err != nil {
			return err
		}
		changed, err := t.program.messages(ctx, idQuery(id)+" and "+since(before))
		if err != nil {
			return err
		}
		if len(found) == 1 && (len(changed) == 1 || now.UUID != before.UUID) {
			set[id] = t.ours(found[0].Tags)
		}
	}
	return t.memory.settle(set)
}
