package notmuch

import (
	"context"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/classify"
)

// Tag judges the new messages of the configuration's query, each once, and gives them the
// tags that reach the precision asked for. What gets none is counted as background.
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

// tagPart keeps what it is going to set before it sets it, and that it is set afterwards: a
// tag that is not there is then either not yet set, or a correction, and it is known which.
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

// judge returns the tags that a message is to have and has not. One that was learned, or
// tagged before, or has tags of the configuration by somebody else, gets none.
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

// change returns what becomes of the tags of a message, nil if nothing.
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

// recover finds out what became of a run that was stopped between keeping what it was going
// to set and keeping that it was set. A message that has not changed since was not tagged
// and is new again. If it has changed and has other tags, nobody knows whether that was a
// correction: it is taken as it is and teaches nothing.
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
