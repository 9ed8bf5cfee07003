// Package trial damages a database in one place and checks the effects.
package trial

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Damage is a change of the bytes of a file. The zero value does nothing.
type Damage struct {
	Kind string
	What string // where, for a message

	// Brief leaves out the check of the database opened for reading: the one opened
	// for writing is checked for more.
	Brief bool

	do func(data []byte) []byte
}

// Apply returns data with the damage, in the same memory.
func (d *Damage) Apply(data []byte) []byte {
	if d.do == nil {
		return data
	}
	return d.do(data)
}

// pageSize is the page size of every file that polya makes.
const pageSize = 4096

// kinds are the damages by name, in the order of the table.
var kinds = []struct {
	name string
	make func(f *File, random *rand.Rand) Damage
}{
	{"bit flipped", flipBits},
	{"bit of a page's head flipped", flipHead},
	{"byte set", setByte},
	{"run zeroed", zeroRun},
	{"run of garbage", garbageRun},
	{"sector zeroed", zeroSector},
	{"page zeroed", zeroPage},
	{"page of garbage", garbagePage},
	{"page over another", copyPage},
	{"pages swapped", swapPages},
	{"page as it was before", oldPage},
	{"meta page damaged", damageMeta},
	{"both meta pages damaged", damageMetas},
	{"meta page as it was before", oldMeta},
	{"file cut short", truncate},
}

// Kinds returns the names of all kinds of damage.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// Choose returns the file and the damage of trial number n for a seed.
func Choose(files []*File, seed uint64, n int) (*File, Damage) {
	kind := kinds[n%len(kinds)]
	f := files[n/len(kinds)%len(files)]
	d := kind.make(f, rand.New(rand.NewPCG(seed, uint64(n))))
	d.Kind, d.Brief = kind.name, n%4 != 0
	return f, d
}

func damage(what string, do func(data []byte)) Damage {
	return Damage{What: what, do: func(data []byte) []byte { do(data); return data }}
}

// pages is the number of pages of the file.
func (f *File) pages() int { return len(f.Data) / pageSize }

// used returns a page with content, even if it is free now.
func (f *File) used(random *rand.Rand) int {
	for {
		page := random.IntN(f.pages())
		for _, b := range f.page(page) {
			if b != 0 {
				return page
			}
		}
	}
}

// at returns a place in a page with content.
func (f *File) at(random *rand.Rand) int { return f.used(random)*pageSize + random.IntN(pageSize) }

func (f *File) page(n int) []byte { return f.Data[n*pageSize : (n+1)*pageSize] }

func flipBits(f *File, random *rand.Rand) Damage {
	type flip struct {
		at  int
		bit byte
	}
	var flips []flip
	for range 1 + random.IntN(3) {
		flips = append(flips, flip{f.at(random), 1 << random.IntN(8)})
	}
	return damage(fmt.Sprint(flips), func(data []byte) {
		for _, flip := range flips {
			data[flip.at] ^= flip.bit
		}
	})
}

// flipHead flips a bit of the header or of the first elements of a page.
func flipHead(f *File, random *rand.Rand) Damage {
	at, bit := f.used(random)*pageSize+random.IntN(96), byte(1)<<random.IntN(8)
	return damage(fmt.Sprintf("%d^%d", at, bit), func(data []byte) { data[at] ^= bit })
}

func setByte(f *File, random *rand.Rand) Damage {
	at, b := f.used(random)*pageSize, byte(random.Uint32())
	if random.IntN(2) == 0 {
		at += random.IntN(pageSize)
	} else {
		at += random.IntN(64)
		b &= 7 // a value that a flag or a count may have
	}
	return damage(fmt.Sprintf("%d=%d", at, b), func(data []byte) { data[at] = b })
}

func run(f *File, random *rand.Rand) (from, to int) {
	from = f.at(random)
	return from, min(from+1+random.IntN(600), len(f.Data))
}

func zeroRun(f *File, random *rand.Rand) Damage {
	from, to := run(f, random)
	return damage(fmt.Sprint(from, "-", to), func(data []byte) { clear(data[from:to]) })
}

// garbage returns a function that fills bytes with random values from seed.
func garbage(seed uint64) func(b []byte) {
	return func(b []byte) {
		random := rand.New(rand.NewPCG(seed, 1))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
	}
}

func garbageRun(f *File, random *rand.Rand) Damage {
	from, to := run(f, random)
	fill := garbage(random.Uint64())
	return damage(fmt.Sprint(from, "-", to), func(data []byte) { fill(data[from:to]) })
}

func zeroSector(f *File, random *rand.Rand) Damage {
	at := f.used(random)*pageSize + 512*random.IntN(8)
	return damage(fmt.Sprint(at), func(data []byte) { clear(data[at : at+512]) })
}

func zeroPage(f *File, random *rand.Rand) Damage {
	page := f.used(random)
	return damage(fmt.Sprint(page), func(data []byte) { clear(data[page*pageSize : (page+1)*pageSize]) })
}

func garbagePage(f *File, random *rand.Rand) Damage {
	page, fill := f.used(random), garbage(random.Uint64())
	return damage(fmt.Sprint(page), func(data []byte) { fill(data[page*pageSize : (page+1)*pageSize]) })
}

// copyPage overwrites a page by another, half the time with the correct page number.
func copyPage(f *File, random *rand.Rand) Damage {
	from, to, numbered := f.used(random), f.used(random), random.IntN(2) == 0
	return damage(fmt.Sprintf("%d over %d %t", from, to, numbered), func(data []byte) {
		over := data[to*pageSize : (to+1)*pageSize]
		copy(over, f.page(from))
		if numbered {
			binary.NativeEndian.PutUint64(over, uint64(to))
		}
	})
}

// swapPages exchanges two pages, half the time with the correct page numbers.
func swapPages(f *File, random *rand.Rand) Damage {
	a, b, numbered := f.used(random), f.used(random), random.IntN(2) == 0
	return damage(fmt.Sprintf("%d and %d %t", a, b, numbered), func(data []byte) {
		at, bt := data[a*pageSize:(a+1)*pageSize], data[b*pageSize:(b+1)*pageSize]
		copy(at, f.page(b))
		copy(bt, f.page(a))
		if numbered {
			binary.NativeEndian.PutUint64(at, uint64(a))
			binary.NativeEndian.PutUint64(bt, uint64(b))
		}
	})
}

// oldPage restores a page to its state some transactions before, as if the disk had lost
// the last write.
func oldPage(f *File, random *rand.Rand) Damage {
	for {
		version := random.IntN(len(f.Old))
		old, page := f.Old[version], 2+random.IntN(f.pages()-2)
		if (page+1)*pageSize > len(old) || string(old[page*pageSize:(page+1)*pageSize]) == string(f.page(page)) {
			if random.IntN(1000) == 0 {
				return damage("none", func([]byte) {})
			}
			continue
		}
		return damage(fmt.Sprintf("%d of state %d", page, version), func(data []byte) {
			copy(data[page*pageSize:(page+1)*pageSize], old[page*pageSize:])
		})
	}
}

// metaBytes is the number of meaningful bytes of a meta page.
const metaBytes = 80

func damageMeta(f *File, random *rand.Rand) Damage {
	page, fill, sort := random.IntN(2), garbage(random.Uint64()), random.IntN(4)
	at, bit := random.IntN(metaBytes), byte(1)<<random.IntN(8)
	return damage(fmt.Sprintf("%d sort %d at %d^%d", page, sort, at, bit), func(data []byte) {
		meta := data[page*pageSize:][:metaBytes]
		switch sort {
		case 0:
			clear(meta)
		case 1:
			fill(meta)
		default:
			meta[at] ^= bit
		}
	})
}

func damageMetas(f *File, random *rand.Rand) Damage {
	at, bt := 16+random.IntN(metaBytes-16), 16+random.IntN(metaBytes-16)
	return damage(fmt.Sprint(at, bt), func(data []byte) {
		data[at] ^= 1 << (at % 8)
		data[pageSize+bt] ^= 1 << (bt % 8)
	})
}

// oldMeta restores a meta page to its state some transactions before.
func oldMeta(f *File, random *rand.Rand) Damage {
	version, page := random.IntN(len(f.Old)), random.IntN(2)
	return damage(fmt.Sprintf("%d of state %d", page, version), func(data []byte) {
		copy(data[page*pageSize:(page+1)*pageSize], f.Old[version][page*pageSize:])
	})
}

func truncate(f *File, random *rand.Rand) Damage {
	size := random.IntN(len(f.Data))
	if random.IntN(2) == 0 {
		size = size / pageSize * pageSize
	}
	return Damage{What: fmt.Sprint(size), do: func(data []byte) []byte { return data[:size] }}
}
