package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/store/internal/wire"
)

// sip is SipHash-c-d, of which Hash is one and three.
func sip(k0, k1 uint64, data []byte, c, d int) uint64 {
	v0, v1, v2, v3 := sipStart(k0, k1)
	rounds := func(n int) {
		for range n {
			v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		}
	}
	last := uint64(len(data)) << 56
	for ; len(data) >= 8; data = data[8:] {
		m := binary.LittleEndian.Uint64(data)
		v3 ^= m
		rounds(c)
		v0 ^= m
	}
	for i, b := range data {
		last |= uint64(b) << (8 * i)
	}
	v3 ^= last
	rounds(c)
	v0 ^= last
	v2 ^= 0xff
	rounds(d)
	return v0 ^ v1 ^ v2 ^ v3
}

// The vector is from Aumasson and Bernstein, "SipHash: a fast short-input PRF", appendix
// A: SipHash-2-4 of 00 01 … 0e under the key 00 01 … 0f.
func find(t Table, hash uint64, term []byte) ([]byte, error) {
	row, _, err := t.Locate(hash, term)
	return row, err
}

func TestSipHash(t *testing.T) {
	var key Key
	data := make([]byte, 15)
	for i := range key {
		key[i] = byte(i)
	}
	for i := range data {
		data[i] = byte(i)
	}
	if got := sip(0x0706050403020100, 0x0f0e0d0c0b0a0908, data, 2, 4); got != 0xa129ca6149be45e5 {
		t.Errorf("SipHash-2-4 is %x", got)
	}
	// The one used has one and three rounds: another function of the same.
	if a, b := key.Hash(data), sip(0x0706050403020100, 0x0f0e0d0c0b0a0908, data, 1, 3); a != b {
		t.Errorf("Hash is %x, SipHash-1-3 is %x", a, b)
	}
	seen := map[uint64]int{}
	for n := range 256 {
		h := key.Hash(make([]byte, n))
		if other, found := seen[h]; found {
			t.Errorf("%d and %d zeros have the same hash", n, other)
		}
		seen[h] = n
	}
}

// drawCells draws the cells of a row that documents can give.
func drawCells(t *rapid.T) []Cell {
	var cells []Cell
	class, gap := uint32(0), rapid.SampledFrom([]uint32{1, 1, 3, 300, 1 << 24}).Draw(t, "largest gap")
	for range rapid.IntRange(1, 12).Draw(t, "cells") {
		class += rapid.Uint32Range(1, gap).Draw(t, "gap")
		u := []uint32{rapid.Uint32Range(1, 1<<20).Draw(t, "df")}
		for rapid.IntRange(0, 2).Draw(t, "more") == 0 && len(u) < 255 {
			u = append(u, rapid.Uint32Range(1, u[len(u)-1]).Draw(t, "u"))
		}
		c := Cell{Class: class - 1, DF: uint64(u[0]), U: u}
		for _, x := range u {
			c.TF += uint64(x)
		}
		c.W = rapid.Uint64Range(0, c.DF<<16).Draw(t, "w")
		cells = append(cells, c)
	}
	return cells
}

func TestRowRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := drawCells(t)
		made := rapid.SampledFrom([]uint64{0, 0, 1, 127, 128, 1 << 31}).Draw(t, "made")
		encoded := AppendRow(AppendEpoch(nil, made), cells)
		if epoch, rest := Epoch(encoded); epoch != made || !bytes.Equal(rest, AppendRow(nil, cells)) {
			t.Fatalf("made in %d, want %d; the rest is %x", epoch, made, rest)
		}
		var r Row
		if err := r.Decode(encoded, true); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r.Cells, cells) || r.Epoch != made {
			t.Fatalf("got %+v made in %d, want %+v in %d", r.Cells, r.Epoch, cells, made)
		}
		if err := Check(r.Cells); err != nil {
			t.Fatal(err)
		}
		if err := r.Decode(encoded, false); err != nil || len(r.Cells) != len(cells) || r.Cells[0].U != nil {
			t.Fatalf("without levels: %+v, %v", r.Cells, err)
		}
		if err := r.Decode(encoded[:len(encoded)-1], true); err == nil && Check(r.Cells) == nil && len(cells) > 0 {
			t.Fatalf("a row cut short decodes to %+v", r.Cells)
		}
	})
}

func TestTableAgainstMap(t *testing.T) {
	var key Key
	rapid.Check(t, func(t *rapid.T) {
		rows := map[string][]byte{}
		for range rapid.IntRange(0, 300).Draw(t, "terms") {
			term := rapid.SliceOfN(rapid.Byte(), 1, math.MaxUint8).Draw(t, "term")
			rows[string(term)] = AppendRow(nil, drawCells(t)[:1])
		}
		var b Builder
		for term, row := range rows {
			b.Add(key.Hash([]byte(term)), []byte(term), row)
		}
		size := b.Size()
		data := b.Finish(7)
		if len(data) != size {
			t.Fatalf("Size is %d, the table has %d bytes", size, len(data))
		}
		if err := Verify(data, &key, 0, math.MaxUint64); err != nil {
			t.Fatal(err)
		}
		table, err := Open(data)
		if err != nil || table.Len != len(rows) || table.Seq != 7 {
			t.Fatalf("%d rows up to %d, %v", table.Len, table.Seq, err)
		}
		for term, row := range rows {
			if found, err := find(table, key.Hash([]byte(term)), []byte(term)); err != nil || !bytes.Equal(found, row) {
				t.Fatalf("%q: %x, %v", term, found, err)
			}
			other := []byte(term + "x")
			if _, there := rows[string(other)]; !there && len(other) <= math.MaxUint8 {
				if found, err := find(table, key.Hash(other), other); err != nil || found != nil {
					t.Fatalf("%q: %x, %v", other, found, err)
				}
			}
		}
		n, last := 0, -1
		err = table.All(func(place uint32, term, row []byte) bool {
			n++
			if int(place) <= last || !bytes.Equal(rows[string(term)], row) {
				t.Fatalf("%q at %d has row %x", term, place, row)
			}
			last = int(place)
			return true
		})
		if err != nil || n != len(rows) {
			t.Fatalf("All gives %d rows of %d, %v", n, len(rows), err)
		}
	})
}

// Terms whose hashes collide, in slot, tag and altogether, are told apart.
func TestCollidingHashes(t *testing.T) {
	var b Builder
	row := AppendRow(nil, []Cell{{Class: 0, DF: 1, TF: 1, W: 9, U: []uint32{1}}})
	hash := func(i int) uint64 { return []uint64{0, 0xff_ffff_ffff, 0xff_0000_0000}[i%3] }
	for i := range 100 {
		b.Add(hash(i), fmt.Appendf(nil, "term%d", i), row)
	}
	table, err := Open(b.Finish(0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 103 {
		found, err := find(table, hash(i), fmt.Appendf(nil, "term%d", i))
		if err != nil || (found != nil) != (i < 100) {
			t.Errorf("term%d: %x, %v", i, found, err)
		}
	}
}

func TestTooManyRows(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("rows beyond MaxRows are no panic")
		}
	}()
	b := Builder{rows: make([]byte, MaxRows+1)}
	b.Finish(0)
}

// Every changed byte of a table is found by Verify, and none makes reading it
// panic.
func TestDamagedTable(t *testing.T) {
	var key Key
	var b Builder
	for i := range 20 {
		term := fmt.Appendf(nil, "term%d", i)
		b.Add(key.Hash(term), term, AppendRow(nil, []Cell{{Class: 3, DF: 2, TF: 5, W: 99, U: []uint32{2, 2, 1}}}))
	}
	data := b.Finish(5)
	for i := range data {
		for _, mask := range []byte{1, 0x80, 0xff} {
			damaged := bytes.Clone(data)
			damaged[i] ^= mask
			if Verify(damaged, &key, 0, math.MaxUint64) == nil {
				t.Errorf("byte %d changed by %02x goes unseen", i, mask)
			}
			read(damaged, &key)
		}
		if Verify(data[:i], &key, 0, math.MaxUint64) == nil {
			t.Errorf("cut to %d bytes it passes", i)
		}
	}
}

// read does with data all that a reader does.
func read(data []byte, key *Key) {
	table, err := Open(data)
	if err != nil {
		return
	}
	var r Row
	for i := range 22 {
		term := fmt.Appendf(nil, "term%d", i)
		hash := key.Hash(term)
		_ = *table.SlotAt(table.Home(hash))
		row, _ := table.RowAt(table.ProbeFrom(table.Home(hash), hash))
		_ = *row
		if row, err := find(table, hash, term); err == nil && row != nil {
			r.Decode(row, true)
		}
	}
	table.All(func(_ uint32, _, row []byte) bool { r.Decode(row, len(row)%2 == 0); return true })
	Verify(data, key, 0, math.MaxUint64)
}

func FuzzTable(f *testing.F) {
	var key Key
	var b Builder
	f.Add(b.Finish(0))
	for i := range 3 {
		term := fmt.Appendf(nil, "term%d", i)
		b.Add(key.Hash(term), term, AppendRow(nil, []Cell{{Class: 3, DF: 2, TF: 5, W: 99, U: []uint32{2, 2, 1}}}))
	}
	f.Add(b.Finish(5))
	f.Fuzz(func(t *testing.T, data []byte) {
		read(data, &key)
		if len(data) < headerSize {
			return
		}
		// With a checksum that holds, what Verify passes is a table as Builder makes it.
		data = bytes.Clone(data)
		binary.LittleEndian.PutUint32(data[4:], wire.Checksum(data[8:]))
		read(data, &key)
		if Verify(data, &key, 0, math.MaxUint64) == nil {
			rebuilt(t, data, &key)
		}
	})
}

// rebuilt checks that the rows of a table, put into another, are the same there.
func rebuilt(t *testing.T, data []byte, key *Key) {
	t.Helper()
	old, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]byte{}
	var b Builder
	err = old.All(func(_ uint32, term, row []byte) bool {
		if rows[string(term)] != nil {
			t.Fatalf("%x has %q twice", data, term)
		}
		rows[string(term)] = row
		b.Add(key.Hash(term), term, row)
		return true
	})
	if err != nil || len(rows) != old.Len {
		t.Fatalf("%x has %d rows, not %d, %v", data, len(rows), old.Len, err)
	}
	again := b.Finish(old.Seq)
	if err := Verify(again, key, 0, math.MaxUint64); err != nil {
		t.Fatalf("%x made anew: %v", data, err)
	}
	made, err := Open(again)
	if err != nil || made.Len != old.Len || made.Seq != old.Seq {
		t.Fatalf("%x made anew has %d rows up to %d, %v", data, made.Len, made.Seq, err)
	}
	for term, row := range rows {
		if found, err := find(made, key.Hash([]byte(term)), []byte(term)); err != nil || !bytes.Equal(found, row) {
			t.Fatalf("%q has %x, not %x, %v", term, found, row, err)
		}
	}
}

// What decodes and passes Check is what AppendRow writes, byte for byte but for
// varints that are longer than they need be.
func FuzzRow(f *testing.F) {
	f.Add(AppendRow(nil, []Cell{{Class: 3, DF: 2, TF: 5, W: 99, U: []uint32{2, 2, 1}}, {Class: 9, DF: 1, TF: 1, U: []uint32{1}}}))
	for _, cells := range manyExamples() {
		f.Add(AppendRow(nil, cells))
	}
	f.Add(AppendRow(AppendEpoch(nil, 300), []Cell{{Class: 3, DF: 1, TF: 2, W: 99, U: []uint32{1, 1}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		Epoch(data)
		var r, again Row
		if r.Decode(data, true) != nil || Check(r.Cells) != nil {
			return
		}
		encoded := AppendRow(AppendEpoch(nil, r.Epoch), r.Cells)
		if len(encoded) > len(data) {
			t.Errorf("%x is written longer, %x", data, encoded)
		}
		if err := again.Decode(encoded, true); err != nil || !reflect.DeepEqual(r.Cells, again.Cells) || again.Epoch != r.Epoch {
			t.Errorf("%x decodes to %+v, written again to %+v, %v", data, r.Cells, again.Cells, err)
		}
	})
}
