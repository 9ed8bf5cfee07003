package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/polya-classifier/polya/benchmarks/harness"
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

// Command returns a process of this program that does the job.
func (j Job) Command() *exec.Cmd {
	cmd := exec.Command(harness.Must(os.Executable()))
	cmd.Env = append(os.Environ(), environment+"="+string(harness.Must(json.Marshal(j))))
	return cmd
}

// Child does the job that the environment names, and ends the process; without one it
// returns. It belongs at the very beginning of a program.
func Child() {
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
	return harness.Try(func() {
		workers := make([]*worker, j.Plan.Trainers)
		db := harness.Must(store.Open(filepath.Join(j.Folder, DatabaseName), j.options()))
		for k := range workers {
			workers[k] = &worker{job: &j, trainer: newTrainer(&j.Plan, k), db: db, acks: acks}
		}
		harness.Each(len(workers), len(workers), func(k int) { workers[k].run() })
		harness.Check(workers[0].db.Close())
	})
}

func (j *Job) options() store.Options { return store.Options{Ledger: j.Plan.Ledger} }

// worker does the steps of one trainer.
type worker struct {
	job     *Job
	trainer *trainer
	db      *store.DB
	acks    io.Writer
}

func (w *worker) run() {
	t, last := w.trainer, operation{}
	for t.number < len(w.job.From) && t.step < w.job.From[t.number] {
		last = t.draw()
		t.advance(last)
	}
	// The database may have the last position already: it must not count twice.
	if last.kind == position && t.step > 0 && !w.position(last, t.step) {
		harness.Failf("position %d again: it is not skipped", t.step)
	}
	for n := 0; n < w.job.Steps || w.job.Steps == 0; n++ {
		o := t.draw()
		if err := harness.Try(func() { w.do(o) }); err != nil {
			harness.Failf("trainer %d, step %d, %s: %w", t.number, t.step, kindNames[o.kind], err)
		}
		t.advance(o)
		harness.Must(fmt.Fprintf(w.acks, "%d %d\n", t.number, t.step))
	}
}

// do carries out a step in the store.
func (w *worker) do(o operation) {
	t, ctx := w.trainer, context.Background()
	switch o.kind {
	case merge:
		w.side(o, func(side *store.DB) { harness.Must(w.db.Merge(ctx, store.MergeOptions{}, side)) })
	case load:
		w.side(o, func(side *store.DB) { harness.Must(w.db.Load(ctx, false, dump(side))) })
	case position:
		if w.position(o, t.step+1) {
			harness.Failf("a new position was skipped")
		}
	case state:
		harness.Check(w.db.PutState(map[string][]byte{stateKey(t.number): fmt.Append(nil, t.step+1)}))
	case renameClass:
		harness.Check(w.db.RenameClass(className(t.number, renamed, t.other), className(t.number, renamed, !t.other)))
	case deleteClass:
		harness.Check(w.db.DeleteClass(ctx, className(t.number, trash, t.other)))
	case compact:
		harness.Check(w.db.Compact(ctx))
	case prune:
		harness.Must(w.db.Prune(ctx, false, func(term []byte, _ []count.Cell) bool { return prunable(t.number, string(term)) }))
	case backup:
		w.replace("backup", func(path string) {
			f := harness.Must(os.Create(path))
			harness.Must(w.db.Backup(ctx, f))
			harness.Check(errors.Join(f.Sync(), f.Close()))
		})
	case copyDump: // into a new database
		w.replace("copy", func(path string) {
			db := harness.Must(store.Open(path, w.job.options()))
			harness.Must(db.Load(ctx, false, dump(w.db)))
			harness.Check(db.Close())
		})
	case reopen:
		harness.Check(w.db.Close())
		w.db = harness.Must(store.Open(w.db.Path(), w.job.options()))
	default:
		harness.Must(w.db.Apply(w.delta(o)))
	}
}

func stateKey(trainer int) string { return fmt.Sprintf("state-%d", trainer) }

func dump(db *store.DB) io.Reader {
	var text bytes.Buffer
	harness.Check(db.Dump(context.Background(), &text, true))
	return &text
}

// delta makes the Delta of a step.
func (w *worker) delta(o operation) *store.Delta {
	t, d := w.trainer, new(store.Delta)
	for _, n := range o.docs {
		switch o.kind {
		default:
			harness.Check(d.Add(t.document(n, firstClass(n))))
		case trainAgain:
			harness.Check(d.Add(t.document(n, t.docs[n].class)))
		case relabel:
			moved := t.document(n, o.to)
			switch t.plan.Ledger {
			case count.LedgerFull:
				harness.Check(d.Relabel(moved.ID, moved.Class))
			case count.LedgerDigest:
				harness.Check(d.Move(moved))
			case count.LedgerNone:
				harness.Check(errors.Join(d.Take(t.document(n, t.docs[n].class)), d.Add(moved)))
			}
		case forget, forgetMany:
			if doc := t.document(n, t.docs[n].class); t.plan.Ledger == count.LedgerFull {
				d.Forget(doc.ID)
			} else {
				harness.Check(d.Take(doc))
			}
		}
	}
	return d
}

func (w *worker) position(o operation, at int) (skipped bool) {
	return harness.Must(w.db.ApplyLog(context.Background(), []store.Logged{{Delta: w.delta(o), Position: uint64(at)}}))[0].Skipped
}

// side makes another database of the documents and gives it to f.
func (w *worker) side(o operation, f func(*store.DB)) {
	path := filepath.Join(w.job.Scratch, fmt.Sprintf("side-%d", w.trainer.number))
	removeLike(path)
	side := harness.Must(store.Open(path, w.job.options()))
	defer side.Close()
	harness.Must(side.Apply(w.delta(o)))
	f(side)
}

// removeLike removes the file and the files that killed processes have left beside it.
func removeLike(path string) {
	for _, left := range harness.Must(filepath.Glob(path + "*")) {
		harness.Check(os.Remove(left))
	}
}

// replace makes a file under another name, and renames it when it is on disk, as a backup
// program does.
func (w *worker) replace(what string, write func(path string)) {
	path := filepath.Join(w.job.Folder, fileName(what, w.trainer.number))
	temporary := path + ".made"
	removeLike(temporary)
	write(temporary)
	harness.Check(os.Rename(temporary, path))
	folder := harness.Must(os.Open(w.job.Folder))
	harness.Check(errors.Join(folder.Sync(), folder.Close()))
}

func fileName(what string, trainer int) string { return fmt.Sprintf("%s-%d", what, trainer) }
