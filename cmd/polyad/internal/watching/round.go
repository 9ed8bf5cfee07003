package watching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Limits of the messages that a round holds in memory and learns in one transaction.
const (
	someMessages = 4000
	someBytes    = 16 << 20
)

// A round is one look at the mailbox.
type round struct {
	*Watcher
	present map[lying]int   // number of copies
	handled map[string]bool // folders of which a message was read before
	lost    bool            // a folder with a rule is missing
	tasks   []task
	listed  *change        // missing copies, and copies with a new key
	learned map[string]int // by class, in a first look
}

// lying is a message in a folder.
type lying struct {
	folder string
	id     count.DocID
}

// A task is a message to handle.
type task struct {
	folder *filing.Folder
	Copy
	before bool // it was in the folder before
	first  bool // and no message of the folder was read before
}

func (t *task) place() place { return place{t.folder.Name, t.Key} }

// tell reports what was done with the message of a task.
func (r *round) tell(t *task, said string) {
	r.Report(Shown(t.folder.Name) + "/" + t.Key + ": " + said)
}

// message is a message that was read.
type message struct {
	task
	id      count.DocID
	raw     []byte
	known   filing.Record
	learned filing.Learned
	step    filing.Step
}

// some handles the first tasks, and returns the others.
func (r *round) some(ctx context.Context, tasks []task) (left []task, err error) {
	var list []*message
	skipped := newChange()
	for size := 0; len(tasks) > 0 && len(list) < someMessages && size < someBytes; tasks = tasks[1:] {
		m, err := r.read(ctx, tasks[0], skipped)
		if err != nil {
			return nil, err
		}
		if m != nil {
			list = append(list, m)
			size += len(m.raw)
		}
	}
	if err := r.memory.save(skipped); err != nil || len(list) == 0 {
		return tasks, err
	}
	ids := make([]count.DocID, len(list))
	for i, m := range list {
		ids[i] = m.id
	}
	learned, err := r.Book.Learned(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, m := range list {
		m.learned = learned[i]
	}
	return tasks, r.act(ctx, list)
}

// read reads a message. It is nil if it need not or cannot be read.
func (r *round) read(ctx context.Context, t task, skipped *change) (*message, error) {
	f := t.folder
	renamed := t.first && r.lost // perhaps: what was filed there stays in its record
	if f.Class == "" && (f.Inbox && !r.memory.whole || !f.Inbox && (t.Read || !r.fresh(t.Copy) || renamed)) {
		skipped.arrived[t.place()] = unread // it is neither learned nor classified
		return nil, nil
	}
	raw, err := r.Box.Read(ctx, f.Name, t.Key)
	switch {
	case errors.Is(err, ErrGone):
		return nil, nil
	case errors.Is(err, ErrUnusable):
		skipped.arrived[t.place()] = unusable
		r.tell(&t, err.Error())
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return &message{task: t, id: mail.ID(raw), raw: raw}, nil
}

// decide decides about messages, one after the other: about a copy as if those before it were handled.
func (r *round) decide(list []*message) {
	records, learned := map[count.DocID]filing.Record{}, map[count.DocID]filing.Learned{}
	for _, m := range list {
		known, is := records[m.id]
		if !is {
			known = r.memory.records[m.id]
		}
		if l, is := learned[m.id]; is {
			m.learned = l
		}
		if f := known.Folder; m.first && !m.folder.Inbox && f != "" && m.learned.Class == "" && r.Rules.Named(f) == nil && len(r.memory.copies[f]) == 0 {
			known.Folder = m.folder.Name // it was renamed with its rule, and polya had filed there
		}
		m.known, m.step = known, r.Rules.Decide(filing.Sight{
			Folder: m.folder, Read: m.Read, Fresh: r.fresh(m.Copy), Before: m.before, Delivered: nanoseconds(m.Delivered),
			Elsewhere: (known.Folder != m.folder.Name || !m.before) && r.present[lying{known.Folder, m.id}] > 0,
		}, known, m.learned)
		records[m.id] = m.step.Record
		if !m.before {
			r.present[lying{m.folder.Name, m.id}]++
		}
		switch m.step.Act {
		case filing.Learn:
			learned[m.id] = filing.Learned{Class: m.step.Class}
		case filing.Forget:
			learned[m.id] = filing.Learned{}
		}
	}
}

// act decides about messages and acts on them: first it learns, then it classifies.
func (r *round) act(ctx context.Context, list []*message) error {
	r.decide(list)
	before, after := newChange(), newChange()
	var lessons []Lesson
	var asked []*message
	for _, m := range list {
		switch m.step.Act {
		case filing.Ask:
			asked = append(asked, m)
			continue
		case filing.Learn, filing.Forget:
			intent := m.step.Record
			intent.Stage = filing.Learning
			before.records[m.id] = intent
			m.step.Record.Class = ""
			lessons = append(lessons, Lesson{m.raw, m.id, m.step.Class, m.step.Act == filing.Forget})
		}
		after.records[m.id] = m.step.Record
		after.arrived[m.place()] = m.id
	}
	if err := r.memory.save(before); err != nil {
		return err
	}
	if len(lessons) > 0 && !r.Dry {
		if err := r.Book.Teach(ctx, lessons); err != nil {
			return err
		}
	}
	if err := r.memory.save(after); err != nil {
		return err
	}
	for _, m := range list {
		switch {
		case m.step.Act == filing.Learn && !r.memory.whole:
			r.learned[m.step.Class]++
		case m.step.Act == filing.Learn:
			r.tell(&m.task, "learned as "+Shown(m.step.Class))
		case m.step.Act == filing.Forget:
			r.tell(&m.task, "forgotten as "+Shown(m.step.Class))
		}
	}
	for _, m := range asked {
		if err := r.ask(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// clocks is how much the clock of a mail server may be behind.
const clocks = time.Hour

// fresh reports whether a message was delivered since the mailbox is watched. Where that is not
// known, a message that was not there at the first look is. A clock before that look was ahead then.
func (r *round) fresh(c Copy) bool {
	began := min(r.memory.began, r.now().Unix())
	return r.memory.whole && (c.Delivered.IsZero() || c.Delivered.After(time.Unix(began, 0).Add(-clocks)))
}

// nanoseconds returns a time in Unix nanoseconds, 0 if it is not known.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// ask classifies new mail, and files it or suggests folders for it.
func (r *round) ask(ctx context.Context, m *message) error {
	answer, err := r.Book.Answer(ctx, m.raw)
	if err != nil {
		return err
	}
	if to := r.Rules.Of(answer); to != nil {
		return r.file(ctx, m, to, answer.Probability)
	}
	said := "left, " + Shown(cmp.Or(answer.Class, "unsure")) + " "
	if to := r.Rules.Suggested(answer); len(to) > 0 {
		if !r.Dry {
			err = r.Box.Suggest(ctx, m.folder.Name, m.Key, to)
		}
		for i, folder := range to {
			to[i] = Shown(folder)
		}
		said = "suggested for " + strings.Join(to, " or ") + ", "
	}
	if errors.Is(err, ErrGone) {
		return nil // it is handled where it is now
	}
	if err != nil && !errors.Is(err, ErrUnusable) && !errors.Is(err, ErrFolder) {
		return err
	}
	return r.leave(m, said+fmt.Sprintf("%.4f", answer.Probability), err)
}

func (r *round) leave(m *message, said string, why error) error {
	c := newChange()
	c.records[m.id] = m.step.Record
	c.arrived[m.place()] = m.id
	if err := r.memory.save(c); err != nil {
		return err
	}
	if why != nil {
		said = why.Error()
	}
	r.tell(&m.task, said)
	return nil
}

// file moves new mail to its folder.
func (r *round) file(ctx context.Context, m *message, to *filing.Folder, probability float64) error {
	before, after := newChange(), newChange()
	before.records[m.id] = filing.Record{Folder: to.Name, Stage: filing.Filing, Delivered: m.step.Record.Delivered}
	if err := r.memory.save(before); err != nil {
		return err
	}
	var err error
	if !r.Dry {
		err = r.Box.Move(ctx, m.folder.Name, m.Key, to.Name)
	}
	switch {
	case errors.Is(err, ErrFolder):
		r.say(to.Name, err)
		after.records[m.id] = m.known // and it is new again at the next look
		return r.memory.save(after)
	case errors.Is(err, ErrUnusable):
		return r.leave(m, "", err)
	case errors.Is(err, ErrGone):
		return nil // somebody else has moved it; it is handled where it is now
	case err != nil:
		return err
	}
	delete(r.said, to.Name)
	r.present[lying{to.Name, m.id}]++
	after.records[m.id] = filing.Record{Folder: to.Name, Delivered: m.step.Record.Delivered}
	if err := r.memory.save(after); err != nil {
		return err
	}
	r.tell(&m.task, fmt.Sprintf("filed for %s, %.4f", Shown(to.Name), probability))
	return nil
}
