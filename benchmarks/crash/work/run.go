package work

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Job is the part of a plan that one process does.
type Job struct {
	Plan    Plan
	Folder  string // of the database, its backups and copies
	Scratch string // of files that do not matter, outside of Folder
	From    []int  // steps that each trainer has done before; nil is none
	Steps   int    // that each does now; 0 is no limit
}

// DatabaseName is the name of the database in the folder.
const DatabaseName = "polya.db"

// environment holds the job of a process.
const environment = "POLYA_CRASH_JOB"

// Environment returns the environment that makes a process of this program do the job.
func (j Job) Environment() []string {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // numbers and strings
	}
	return append(os.Environ(), environment+"="+string(text))
}

// Main does the job that the environment names, and ends the process; without one it
// returns. It belongs at the very beginning of a program.
func Main() {
	text := os.Getenv(environment)
	if text == "" {
		return
	}
	var j Job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.Run(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run does the job. It writes a line to acks, by one call, when a step is done: the
// number of the trainer, and of the steps that it has done.
func (j Job) Run(acks io.Writer) error {
	db, err := store.Open(filepath.Join(j.Folder, DatabaseName), j.options())
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make([]error, j.Plan.Trainers)
	workers := make([]*worker, j.Plan.Trainers)
	for k := range workers {
		w := &worker{job: &j, trainer: newTrainer(&j.Plan, k), db: db, acks: acks}
		workers[k] = w
		all.Go(func() { failed[k] = w.run() })
	}
	all.Wait()
	return errors.Join(errors.Join(failed...), workers[0].db.Close())
}

func (j *Job) options() store.Options { return store.Options{Ledger: j.Plan.Ledger} }

// worker does the steps of one trainer.
type worker struct {
	job     *Job
	trainer *trainer
	db      *store.DB
	acks    io.Writer
}

func (w *worker) run() error {
	t, last := w.trainer, operation{}
	for t.number < len(w.job.From) && t.step < w.job.From[t.number] {
		last = t.draw()
		t.advance(last)
	}
	if last.kind == position && t.step > 0 {
		// The database may have this one already: it must not count twice.
		if skipped, err := w.position(last, t.step); err != nil || !skipped {
			return fmt.Errorf("position %d again: skipped is %v, %w", t.step, skipped, err)
		}
	}
	for n := 0; n < w.job.Steps || w.job.Steps == 0; n++ {
		o := t.draw()
		if err := w.do(o); err != nil {
			return fmt.Errorf("trainer %d, step %d, kind %d: %w", t.number, t.step, o.kind, err)
		}
		t.advance(o)
		if _, err := fmt.Fprintf(w.acks, "%d %d\n", t.number, t.step); err != nil {
			return err
		}
	}
	return nil
}

// do carries out a step in the store.
func (w *worker) do(o operation) (err error) {
	t, ctx := w.trainer, context.Background()
	switch o.kind {
	case merge:
		return w.side(o, func(side *store.DB) error {
			_, err := w.db.Merge(ctx, store.MergeOptions{}, side)
			return err
		})
	case load:
		return w.side(o, func(side *store.DB) error {
			var text bytes.Buffer
			if err := side.Dump(ctx, &text, true); err != nil {
				return err
			}
			_, err := w.db.Load(ctx, &text)
			return err
		})
	case position:
		skipped, err := w.position(o, t.step+1)
		if skipped {
			return errors.New("a new position was skipped")
		}
		return err
	case state:
		return w.db.PutState(map[string][]byte{stateKey(t.number): fmt.Append(nil, t.step+1)})
	case renameClass:
		return w.db.RenameClass(className(t.number, renamed, t.other), className(t.number, renamed, !t.other))
	case deleteClass:
		return w.db.DeleteClass(context.Background(), className(t.number, trash, t.other))
	case compact:
		return w.db.Compact(ctx)
	case prune:
		_, err := w.db.Prune(ctx, func(term []byte, _ []count.Cell) bool { return prunable(t.number, string(term)) })
		return err
	case backup:
		return w.backup()
	case copyDump:
		return w.copyDump()
	case reopen:
		if err := w.db.Close(); err != nil {
			return err
		}
		w.db, err = store.Open(w.db.Path(), w.job.options())
		return err
	}
	var d store.Delta
	if err := w.fill(&d, o); err != nil {
		return err
	}
	_, err = w.db.Apply(&d)
	return err
}

func stateKey(trainer int) string { return fmt.Sprintf("state-%d", trainer) }

// fill makes the Delta of a step.
func (w *worker) fill(d *store.Delta, o operation) error {
	t := w.trainer
	for _, n := range o.docs {
		var err error
		switch o.kind {
		default:
			err = d.Add(t.document(n, firstClass(n)))
		case trainAgain:
			err = d.Add(t.document(n, t.docs[n].class))
		case relabel:
			moved := t.document(n, o.to)
			switch t.plan.Ledger {
			case count.LedgerFull:
				err = d.Relabel(moved.ID, moved.Class)
			case count.LedgerDigest:
				err = d.Move(moved)
			case count.LedgerNone:
				err = cmp.Or(d.Take(t.document(n, t.docs[n].class)), d.Add(moved))
			}
		case forget, forgetMany:
			if doc := t.document(n, t.docs[n].class); t.plan.Ledger == count.LedgerFull {
				d.Forget(doc.ID)
			} else {
				err = d.Take(doc)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) position(o operation, at int) (skipped bool, err error) {
	var d store.Delta
	if err := w.fill(&d, o); err != nil {
		return false, err
	}
	a, err := w.db.ApplyAt(&d, uint64(at))
	return a.Skipped, err
}

// side makes another database of the documents and gives it to f.
func (w *worker) side(o operation, f func(*store.DB) error) error {
	path := filepath.Join(w.job.Scratch, fmt.Sprintf("side-%d", w.trainer.number))
	if err := removeLike(path); err != nil {
		return err
	}
	side, err := store.Open(path, w.job.options())
	if err != nil {
		return err
	}
	defer side.Close()
	var d store.Delta
	if err := w.fill(&d, o); err != nil {
		return err
	}
	if _, err := side.Apply(&d); err != nil {
		return err
	}
	return f(side)
}

// removeLike removes the file and the files that killed processes have left beside it.
func removeLike(path string) error {
	found, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range found {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)) {
			err = cmp.Or(err, os.Remove(filepath.Join(filepath.Dir(path), entry.Name())))
		}
	}
	return err
}

func (w *worker) backup() error {
	return w.replace("backup", func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		_, err = w.db.Backup(context.Background(), f)
		return cmp.Or(err, f.Sync(), f.Close())
	})
}

// copyDump loads the dump of the database into a new one.
func (w *worker) copyDump() error {
	return w.replace("copy", func(path string) error {
		var text bytes.Buffer
		if err := w.db.Dump(context.Background(), &text, true); err != nil {
			return err
		}
		db, err := store.Open(path, w.job.options())
		if err != nil {
			return err
		}
		_, err = db.Load(context.Background(), &text)
		return errors.Join(err, db.Close())
	})
}

// replace makes a file under another name, and renames it when it is on disk, as a backup
// program does.
func (w *worker) replace(what string, write func(path string) error) error {
	path := filepath.Join(w.job.Folder, fileName(what, w.trainer.number))
	temporary := path + ".made"
	if err := removeLike(temporary); err != nil {
		return err
	}
	if err := write(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	folder, err := os.Open(w.job.Folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func fileName(what string, trainer int) string { return fmt.Sprintf("%s-%d", what, trainer) }
