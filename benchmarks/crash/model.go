package crash

import (
	"fmt"
	"strings"
)

// Fault is a kind of error in a file.
type Fault uint8

const (
	Lost    Fault = iota + 1 // acknowledged data is missing
	Doubled                  // something is there twice
	Half                     // a step is there in part
	Damaged                  // the file cannot be opened, or Check finds something
)

var faultNames = [...]string{Lost: "lost", Doubled: "doubled", Half: "half", Damaged: "damaged"}

// String returns the name in the tables.
func (f Fault) String() string { return faultNames[f] }

// FaultError is returned when a file does not hold what it must.
type FaultError struct {
	Fault Fault
	File  string
	What  string
}

// Error says what is wrong with which file.
func (e *FaultError) Error() string { return fmt.Sprintf("%s: %s: %s", e.File, e.Fault, e.What) }

// Model knows the expected content of the files of a plan. Look extends it; Holds does
// not, and is safe for concurrent use.
type Model struct {
	plan     Plan
	trainers []*trainer
	moments  [][]moment // by trainer and steps done
}

// NewModel returns a model of the plan.
func NewModel(p Plan) *Model {
	m := &Model{plan: p, moments: make([][]moment, p.Trainers)}
	for k := range p.Trainers {
		t := newTrainer(&m.plan, k)
		t.sum = true
		m.trainers = append(m.trainers, t)
		m.moments[k] = []moment{t.now()}
	}
	return m
}

// Look extends the model to the given steps of each trainer, and the next one.
func (m *Model) Look(steps []int) {
	for k, t := range m.trainers {
		for t.step <= steps[k] {
			o, last := t.draw(), m.moments[k][t.step]
			t.advance(o)
			now := t.now()
			now.kind, now.backup, now.copied = o.kind, last.backup, last.copied
			switch o.kind {
			case backup:
				now.backup = t.step
			case copyDump:
				now.copied = t.step
			}
			m.moments[k] = append(m.moments[k], now)
		}
	}
}

// Next names the trainer's step after so many steps.
func (m *Model) Next(trainer, steps int) string { return kindNames[m.moments[trainer][steps+1].kind] }

// Acks reads the output of Run into the number of steps of each trainer, which never
// decrease.
func (m *Model) Acks(steps []int, text []byte) error {
	for line := range strings.Lines(string(text)) {
		var k, n int
		if _, err := fmt.Sscanf(line, "%d %d", &k, &n); err != nil || !strings.HasSuffix(line, "\n") || k < 0 || k >= len(steps) {
			return fmt.Errorf("acknowledgement %q", line)
		}
		if n != steps[k]+1 {
			return fmt.Errorf("trainer %d acknowledged step %d after %d", k, n, steps[k])
		}
		steps[k] = n
	}
	return nil
}

// Holds opens the files in folder and returns how many steps of each trainer they hold:
// the acknowledged ones, or one more. Otherwise the error is a *FaultError. With goOn,
// one more document is then learned, and looked up.
func (m *Model) Holds(folder string, acked []int, goOn bool) (steps []int, err error) {
	steps, err = m.database(folder, acked, goOn)
	if err != nil {
		return nil, err
	}
	for k := range m.trainers {
		was, next := m.moments[k][acked[k]], m.moments[k][acked[k]+1]
		if err := m.copied(folder, fileName("backup", k), k, was.backup, next.backup, true); err != nil {
			return nil, err
		}
		if err := m.copied(folder, fileName("copy", k), k, was.copied, next.copied, false); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func (m *Model) database(folder string, acked []int, goOn bool) ([]int, error) {
	found, err := m.read(folder, DatabaseName, goOn)
	if err != nil {
		return nil, err
	}
	steps := make([]int, len(m.trainers))
	for k := range steps {
		was, next := m.moments[k][acked[k]], m.moments[k][acked[k]+1]
		switch have := found[k]; {
		case have.is(was):
			steps[k] = acked[k]
		case have.is(next):
			steps[k] = acked[k] + 1
		default:
			return nil, m.fault(DatabaseName, k, have, acked[k])
		}
	}
	return steps, nil
}

// copied checks a file that a step has written, from one of two possible steps; a copy
// has no ledger, position and state.
func (m *Model) copied(folder, name string, k, was, next int, whole bool) error {
	if was == 0 && next == 0 {
		return nil
	}
	found, err := m.read(folder, name, false)
	if err != nil {
		return err
	}
	have := found[k]
	if was == 0 && have.is(moment{}) {
		return nil // not made yet
	}
	for _, step := range []int{was, next} {
		want := m.moments[k][step]
		if !whole {
			want.sums.Position, want.sums.State = 0, 0
		}
		if step > 0 && have.is(want) {
			return nil
		}
	}
	return m.fault(name, k, have, max(was, next))
}

// fault describes a file that matches neither of two steps.
func (m *Model) fault(name string, k int, have moment, acked int) error {
	was, next := m.moments[k][acked], m.moments[k][min(acked+1, len(m.moments[k])-1)]
	e := &FaultError{Half, name, fmt.Sprintf("%s: trainer %d, %d steps done: it holds %s %+v, and should %s %+v or %s %+v",
		m.plan, k, acked, have.name, have.sums, was.name, was.sums, next.name, next.sums)}
	least, most := min(was.sums.Docs, next.sums.Docs), max(was.sums.Docs, next.sums.Docs)
	for _, before := range m.moments[k][:acked] {
		if have.is(before) {
			e.Fault = Lost
			return e
		}
	}
	switch {
	case have.sums.Docs < least:
		e.Fault = Lost
	case have.sums.Docs > most:
		e.Fault = Doubled
	}
	return e
}

func (m moment) is(other moment) bool { return m.sums == other.sums && m.name == other.name }
