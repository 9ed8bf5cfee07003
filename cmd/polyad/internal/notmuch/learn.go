package notmuch

import (
	"context"
	"slices"

	"github.com/polya-classifier/polya/classify"
)

// Learn learns all messages of the configuration's query with their tags. Messages in the
// ledger with the same tags are skipped, so that an interrupted run can be continued.
// Messages that polya tagged and nobody corrected are not learned.
func (t *Tagger) Learn(ctx context.Context) (done Done, err error) {
	if err := t.recover(ctx); err != nil {
		return done, err
	}
	now, err := t.program.revision(ctx)
	if err != nil {
		return done, err
	}
	all, err := t.program.messages(ctx, t.config.Learn)
	if err != nil {
		return done, err
	}
	learned, err := t.follow(ctx, all, &done)
	if err != nil {
		return done, err
	}
	return done, t.end(ctx, now, learned)
}

// Fix learns from the user's changes since the last run: tags that polya set and the user
// removed, and tags that the user added. If notmuch's database was replaced since, Fix
// examines all messages.
func (t *Tagger) Fix(ctx context.Context) (done Done, err error) {
	if err := t.recover(ctx); err != nil {
		return done, err
	}
	now, err := t.program.revision(ctx)
	if err != nil {
		return done, err
	}
	seen, err := t.memory.revision(keySeen)
	if err != nil || seen == now {
		return done, err
	}
	query := "*"
	if seen.UUID == now.UUID {
		query = since(seen)
	}
	all, err := t.program.messages(ctx, query)
	if err != nil {
		return done, err
	}
	all = slices.DeleteFunc(all, func(m message) bool { return !t.concerns(&m) })
	learned, err := t.follow(ctx, all, &done)
	if err != nil {
		return done, err
	}
	return done, t.end(ctx, now, learned)
}

// concerns reports whether a changed message may have been corrected. A message that polya
// has not seen and that has no tag of the configuration is not tagged yet.
func (t *Tagger) concerns(m *message) bool {
	if len(t.ours(m.Tags)) > 0 {
		return true
	}
	set, err := t.memory.set(m.ID)
	if err != nil || len(set) > 0 {
		return true
	}
	d, err := t.document(m)
	if err != nil || d == nil {
		return err != nil
	}
	known, err := t.known(d.ID)
	return err != nil || len(known) > 0
}

// follow learns the messages whose tags differ from the tags that polya set or learned, and
// returns the ids of the learned ones.
func (t *Tagger) follow(ctx context.Context, all []message, done *Done) (learned []string, err error) {
	for part := range slices.Chunk(all, batch) {
		var b classify.Batch
		for i := range part {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			m := &part[i]
			done.Messages++
			now := t.ours(m.Tags)
			set, err := t.memory.set(m.ID)
			if err != nil {
				return nil, err
			}
			if set != nil && slices.Equal(set, now) {
				continue
			}
			d, err := t.document(m)
			if err != nil {
				return nil, err
			}
			if d == nil {
				done.Missing++
				continue
			}
			known, err := t.known(d.ID)
			if err != nil {
				return nil, err
			}
			if known == nil || !slices.Equal(known, now) {
				if err := t.learn(&b, d, now, done); err != nil {
					return nil, err
				}
			}
			learned = append(learned, m.ID)
		}
		if err := t.apply(ctx, &b); err != nil {
			return nil, err
		}
	}
	return learned, nil
}

// end fits the models, and stores the revision up to which corrections were searched.
func (t *Tagger) end(ctx context.Context, now revision, learned []string) error {
	if t.dry {
		return nil
	}
	if err := t.memory.see(now, learned); err != nil {
		return err
	}
	return t.refit(ctx)
}
