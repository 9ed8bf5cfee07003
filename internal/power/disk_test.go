package power

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(file int, offset int64, data string) Event {
	return Event{Kind: Write, File: file, Offset: offset, Data: []byte(data)}
}

// after returns the disk when all events have happened.
func after(t *testing.T, events ...Event) *Disk {
	t.Helper()
	d := NewDisk(&Recording{Events: events})
	for range events {
		if d.Next() == nil {
			t.Fatal("the events ended early")
		}
	}
	if d.Next() != nil {
		t.Fatal("the events went on")
	}
	return d
}

func mustLeave(t *testing.T, what string, d *Disk, c Choice, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for name, data := range d.Left(c) {
		got[name] = string(data)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%s: %q is left, want %q", what, got, want)
	}
}

type files = map[string]string

// What each sync makes durable, and what it does not.
func TestPowerLossDisk(t *testing.T) {
	made := []Event{{Kind: Create, Name: "a"}, write(0, 0, "old"), {Kind: Sync, Began: 2}}
	d := after(t, made...)
	mustLeave(t, "a file that was synced in a folder that was not", d, None, files{})
	mustLeave(t, "the same, killed", d, All, files{"a": "old"})
	if d.Pending() != 1 {
		t.Errorf("%d changes are pending, want the name", d.Pending())
	}
	made = append(made, Event{Kind: SyncFolder, Began: 3})
	d = after(t, made...)
	mustLeave(t, "a folder that was synced", d, None, files{"a": "old"})
	if d.Pending() != 0 {
		t.Errorf("%d changes are pending, want none", d.Pending())
	}

	d = after(t, append(made, write(0, 1, "NEW"))...)
	mustLeave(t, "a write", d, None, files{"a": "old"})
	mustLeave(t, "a write, killed", d, All, files{"a": "oNEW"})
	mustLeave(t, "a write of which the length is there", d, Choice{Length: 1}, files{"a": "old\x00"})
	d = after(t, append(made, write(0, 0, "1"), write(0, 2, "2"), Event{Kind: Sync, Began: 5})...)
	mustLeave(t, "a sync that was called between two writes", d, None, files{"a": "1ld"})
	d = after(t, append(made, Event{Kind: Truncate, Size: 1}, Event{Kind: Truncate, Size: 4})...)
	mustLeave(t, "a file cut and grown", d, All, files{"a": "o\x00\x00\x00"})
	mustLeave(t, "a file cut and grown, lost", d, None, files{"a": "old"})

	made = append(made, Event{Kind: Create, File: 1, Name: "b"}, write(1, 0, "new"), Event{Kind: Sync, File: 1, Began: 6}, Event{Kind: Rename, File: 1, From: "b", Name: "a"})
	d = after(t, made...)
	mustLeave(t, "a rename", d, None, files{"a": "old"})
	mustLeave(t, "a rename, killed", d, All, files{"a": "new"})
	d = after(t, append(made, Event{Kind: SyncFolder, Began: 8})...)
	mustLeave(t, "a rename that was synced", d, None, files{"a": "new"})
	d = after(t, append(made, Event{Kind: SyncFolder, Began: 7})...)
	mustLeave(t, "a rename after the sync was called", d, None, files{"a": "old", "b": "new"})

	d = after(t, append(made, Event{Kind: SyncFolder, Began: 8}, Event{Kind: Link, File: 1, From: "a", Name: "c"}, Event{Kind: Remove, File: 1, Name: "a"})...)
	mustLeave(t, "a link and a removal", d, None, files{"a": "new"})
	mustLeave(t, "a link and a removal, killed", d, All, files{"c": "new"})
}

// What a disk reports as synced and has not is left by chance.
func TestLostSyncs(t *testing.T) {
	events := []Event{{Kind: Create, Name: "a"}, write(0, 0, "x"), {Kind: Sync, Began: 2}, {Kind: SyncFolder, Began: 3}}
	for _, lies := range []Disk{{LosesSyncs: true}, {LosesFolderSyncs: true}} {
		d := NewDisk(&Recording{Events: events})
		d.LosesSyncs, d.LosesFolderSyncs = lies.LosesSyncs, lies.LosesFolderSyncs
		for d.Next() != nil {
		}
		want := files{}
		if lies.LosesSyncs {
			want["a"] = ""
		}
		mustLeave(t, "a lost sync", d, None, want)
	}
}

// Of writes that no sync covers any subset can be there, and of each any sectors, but
// nothing that was never written.
func TestPowerLossSubsets(t *testing.T) {
	const sector = 512
	old, first, second := strings.Repeat("o", 3*sector), strings.Repeat("1", 2*sector), strings.Repeat("2", 2*sector)
	d := after(t, Event{Kind: Create, Name: "a"}, write(0, 0, old), Event{Kind: Sync, Began: 2}, Event{Kind: SyncFolder, Began: 3},
		write(0, 0, first), write(0, sector, second))
	found := func(c Choice) map[string]bool {
		seen := map[string]bool{}
		for range 500 {
			data := d.Left(c)["a"]
			if len(data) != 3*sector {
				t.Fatalf("%d bytes are left", len(data))
			}
			var short []byte
			for i := 0; i < len(data); i += sector {
				if n := len(slices.Compact(slices.Clone(data[i : i+sector]))); n != 1 {
					t.Fatal("a sector is torn")
				}
				short = append(short, data[i])
			}
			seen[string(short)] = true
		}
		return seen
	}
	random := rand.New(rand.NewPCG(1, 2))
	whole := found(Choice{Data: .5, Random: random})
	if want := map[string]bool{"ooo": true, "11o": true, "o22": true, "122": true}; !maps.Equal(whole, want) {
		t.Errorf("of whole writes %v are left, want %v", whole, want)
	}
	torn := found(Choice{Data: 1, Torn: 1, Sector: sector, Random: random})
	// The first sector is old or of the first write, the last old or of the second,
	// that between of any.
	if len(torn) != 2*3*2 {
		t.Errorf("of torn writes %d are left, want 12: %v", len(torn), torn)
	}
	if whole := found(Choice{Data: 1, Torn: 1, Sector: 4096, Random: random}); len(whole) != 4 {
		t.Errorf("of writes within large sectors %d are left, want 4: %v", len(whole), whole)
	}
}

func TestPowerLossPut(t *testing.T) {
	want := map[string][]byte{"a": []byte("1"), "b": {}}
	folder := filepath.Join(t.TempDir(), "state")
	if err := Put(folder, want); err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for name := range want {
		got[name], _ = os.ReadFile(filepath.Join(folder, name))
	}
	if !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%q was put, want %q", got, want)
	}
}
