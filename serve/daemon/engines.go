package daemon

import (
	"context"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store/count"
)

// engines holds the engine of the current configuration. Requests wait while it is
// replaced.
type engines struct {
	log      *slog.Logger
	follower Follower
	config   *config.Config // that the engine was made for

	mu sync.RWMutex // held for reading while the engine is in use
	*engine.Engine
	// current is the same engine for the Follower, without the lock: a training holds that until it
	// is applied, and while a reload waits for the lock nobody else gets it.
	current atomic.Pointer[engine.Engine]
}

func newEngines(c *config.Config, f Follower, log *slog.Logger) (*engines, error) {
	e := &engines{log: log, follower: f, config: c}
	return e, e.make(c)
}

func (e *engines) make(c *config.Config) error {
	o, err := c.Engine(e.log)
	if err != nil {
		return err
	}
	if e.follower != nil {
		o.Publisher = e.follower
	}
	made, err := engine.New(o)
	if err != nil {
		return err
	}
	e.Engine, e.config = made, c
	e.current.Store(made)
	return nil
}

// reload reopens the databases, or replaces the engine if c asks for other answers.
func (e *engines) reload(ctx context.Context, c *config.Config) error {
	old := e.config
	if reflect.DeepEqual(old.Database, c.Database) && reflect.DeepEqual(old.Users, c.Users) && old.Decisions == c.Decisions && old.Auto == c.Auto {
		return e.Reopen(ctx)
	}
	e.mu.Lock()
	err := e.Engine.Close()
	if err != nil {
		e.log.Error("cannot close databases", "error", err)
	}
	err = e.make(c)
	e.mu.Unlock()
	if err != nil {
		return err
	}
	return e.opens(ctx)
}

// use keeps the engine from being replaced until done is called.
func (e *engines) use() (done func()) {
	e.mu.RLock()
	return e.mu.RUnlock
}

func (e *engines) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	defer e.use()()
	return e.Engine.Classify(ctx, r, explain)
}

func (e *engines) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	defer e.use()()
	return e.Engine.Learn(ctx, r, class)
}

func (e *engines) Forget(ctx context.Context, r backend.Request) (backend.Outcome, error) {
	defer e.use()()
	return e.Engine.Forget(ctx, r)
}

func (e *engines) Classes(ctx context.Context, user string) ([]string, error) {
	defer e.use()()
	return e.Engine.Classes(ctx, user)
}

func (e *engines) Use(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	defer e.use()()
	return e.Engine.Use(ctx, user, f)
}

func (e *engines) Change(ctx context.Context, user string, f func(*classify.Classifier) error) error {
	defer e.use()()
	return e.Engine.Change(ctx, user, f)
}

func (e *engines) Make(ctx context.Context, user, class string, folder bool) error {
	defer e.use()()
	return e.Engine.Make(ctx, user, class, folder)
}

func (e *engines) Restore(ctx context.Context, user, backup string) error {
	defer e.use()()
	return e.Engine.Restore(ctx, user, backup)
}

func (e *engines) Owner(file string) (user string, err error) {
	defer e.use()()
	return e.Engine.Owner(file)
}

func (e *engines) Decisions(user string, limit int) ([]backend.Decision, error) {
	defer e.use()()
	return e.Engine.Decisions(user, limit)
}

func (e *engines) Teach(ctx context.Context, user, id, class, by string) (outcome backend.Outcome, from string, err error) {
	defer e.use()()
	return e.Engine.Teach(ctx, user, id, class, by)
}

func (e *engines) Again(ctx context.Context, user string, ids []string, explain bool) ([]backend.Kept, error) {
	defer e.use()()
	return e.Engine.Again(ctx, user, ids, explain)
}

func (e *engines) Revise(ctx context.Context, user string, list []backend.Revision, by string) ([]backend.Revised, error) {
	defer e.use()()
	return e.Engine.Revise(ctx, user, list, by)
}

func (e *engines) Explain(ctx context.Context, r backend.Request) (backend.Explanation, error) {
	defer e.use()()
	return e.Engine.Explain(ctx, r)
}

func (e *engines) Configured() []string {
	defer e.use()()
	return e.Engine.Configured()
}

func (e *engines) AutoState() engine.AutoState {
	defer e.use()()
	return e.Engine.AutoState()
}

func (e *engines) WithoutRoom() uint64 {
	defer e.use()()
	return e.Engine.WithoutRoom()
}

func (e *engines) ResumeAuto(ctx context.Context) error {
	defer e.use()()
	return e.Engine.ResumeAuto(ctx)
}

func (e *engines) Undo(ctx context.Context, user string, f classify.Query, dryRun bool) (classify.Undone, error) {
	defer e.use()()
	return e.Engine.Undo(ctx, user, f, dryRun)
}

func (e *engines) Untaught(ctx context.Context) (string, error) {
	defer e.use()()
	return e.Engine.Untaught(ctx)
}

func (e *engines) UndoAll(ctx context.Context, f classify.Query, dryRun bool) (classify.Undone, error) {
	defer e.use()()
	return e.Engine.UndoAll(ctx, f, dryRun)
}

func (e *engines) Relabel(ctx context.Context, user string, id count.DocID, class, by string) (backend.Outcome, error) {
	defer e.use()()
	return e.Engine.Relabel(ctx, user, id, class, by)
}

func (e *engines) ForgetID(ctx context.Context, user string, id count.DocID) (backend.Outcome, error) {
	defer e.use()()
	return e.Engine.ForgetID(ctx, user, id)
}

// Keeps reports whether decisions are kept.
func (e *engines) Keeps() bool {
	defer e.use()()
	return e.Engine.Keeps()
}

// Lend lends a database of the current engine. Replacing the engine waits until it was
// given back.
func (e *engines) Lend(ctx context.Context, user string) (giveBack func(), err error) {
	defer e.use()()
	return e.Engine.Lend(ctx, user)
}

// opens opens the shared database, and returns why it cannot be used.
func (e *engines) opens(ctx context.Context) error {
	defer e.use()()
	return e.Engine.Ready(ctx)
}

// Ready returns why the shared database cannot be used, or has not caught up with the log yet.
func (e *engines) Ready(ctx context.Context) error {
	if err := e.opens(ctx); err != nil || e.follower == nil {
		return err
	}
	return e.follower.Ready()
}

func (e *engines) Reopen(ctx context.Context) error {
	defer e.use()()
	return e.Engine.Reopen(ctx)
}
