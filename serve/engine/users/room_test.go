package users

import (
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polya-classifier/polya/serve/engine/learn"
)

// TestOrder holds that requests get room for a user's database in the order in which they
// came, also one whose database is open already.
func TestOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		fits := learn.NewFits(time.Hour, log)
		defer fits.Close()
		each := learn.Options{Fits: fits, Log: log}
		p := New(Options{Path: filepath.Join(dir, "%u.polya"), MaxOpen: 1, Pattern: ".*"},
			learn.New(filepath.Join(dir, "shared.polya"), each), each)
		held, end, err := p.Acquire(t.Context(), "u2", true)
		if err != nil || held == nil {
			t.Fatal(held, err)
		}
		var order []string
		var all sync.WaitGroup
		for _, user := range []string{"u1", "u2", "u3"} {
			all.Go(func() {
				_, end, err := p.Acquire(t.Context(), user, true)
				if err != nil {
					t.Error(user, err)
					return
				}
				order = append(order, user) // one at a time holds one
				end()
			})
			synctest.Wait()
		}
		end()
		all.Wait()
		if want := []string{"u1", "u2", "u3"}; !slices.Equal(order, want) {
			t.Errorf("%v, want %v", order, want)
		}
		if len(p.requests) != 0 {
			t.Errorf("%d hold one", len(p.requests))
		}
	})
}

// A log gets a database while others hold all that may be open, and one more is open only meanwhile.
func TestReserve(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	fits := learn.NewFits(time.Hour, log)
	defer fits.Close()
	each := learn.Options{Fits: fits, Log: log}
	p := New(Options{Path: filepath.Join(t.TempDir(), "%u.polya"), MaxOpen: 1, Names: []string{"held"}},
		learn.New(filepath.Join(t.TempDir(), "shared.polya"), each), each)
	held, end, err := p.Acquire(t.Context(), "held", true)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	for _, user := range []string{"one", "two", "one"} {
		d := p.Reserve(user)
		if _, err := d.Open(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if len(p.open) != 2 {
			t.Errorf("%d are open", len(p.open))
		}
		d.Release()
	}
	end()
	for _, d := range p.All() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Root is no user by a pattern: his spamc names him, and means everybody's database.
func TestRootIsNoUser(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Pattern: "[a-z]+"}, {Pattern: "[a-z]+", Names: []string{"root"}}, {Names: []string{"alice"}}} {
		p := New(o, nil, learn.Options{})
		if want := len(o.Names) > 0 && o.Names[0] == "root"; p.knows("root") != want || !p.knows("alice") || p.knows("alice2") {
			t.Errorf("%+v: %v, %v", o, p.knows("root"), p.knows("alice"))
		}
	}
	if p := New(Options{StripDomain: true}, nil, learn.Options{}); p.Name("Ann@example.org") != "ann" {
		t.Error(p.Name("Ann@example.org"))
	}
}
