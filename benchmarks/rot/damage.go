package rot

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

// pageSize is the page size of every file that polya makes, and metaBytes the number of
// meaningful bytes of a meta page.
const (
	pageSize  = 4096
	metaBytes = 80
)

// kinds are the damages by name, in the order of the table.
var kinds = []struct {
	name string
	draw func(f *File, random *rand.Rand) Damage
}{
	{"bit flipped", func(f *File, random *rand.Rand) Damage {
		flips := make([][2]int, 1+random.IntN(3))
		for i := range flips {
			flips[i] = [2]int{f.at(random), 1 << random.IntN(8)}
		}
		return damage(fmt.Sprint(flips), func(data []byte) {
			for _, flip := range flips {
				data[flip[0]] ^= byte(flip[1])
			}
		})
	}},
	{"bit of a page's head flipped", func(f *File, random *rand.Rand) Damage { // or of its first elements
		at, bit := f.used(random)*pageSize+random.IntN(96), byte(1)<<random.IntN(8)
		return damage(fmt.Sprintf("%d^%d", at, bit), func(data []byte) { data[at] ^= bit })
	}},
	{"byte set", func(f *File, random *rand.Rand) Damage {
		at, b := f.used(random)*pageSize, byte(random.Uint32())
		if random.IntN(2) == 0 {
			at += random.IntN(pageSize)
		} else {
			at += random.IntN(64)
			b &= 7 // a value that a flag or a count may have
		}
		return damage(fmt.Sprintf("%d=%d", at, b), func(data []byte) { data[at] = b })
	}},
	{"run zeroed", func(f *File, random *rand.Rand) Damage {
		from, to := f.run(random)
		return damage(fmt.Sprint(from, "-", to), func(data []byte) { clear(data[from:to]) })
	}},
	{"run of garbage", func(f *File, random *rand.Rand) Damage {
		from, to := f.run(random)
		fill := garbage(random.Uint64())
		return damage(fmt.Sprint(from, "-", to), func(data []byte) { fill(data[from:to]) })
	}},
	{"sector zeroed", func(f *File, random *rand.Rand) Damage {
		at := f.used(random)*pageSize + 512*random.IntN(8)
		return damage(fmt.Sprint(at), func(data []byte) { clear(data[at : at+512]) })
	}},
	{"page zeroed", func(f *File, random *rand.Rand) Damage {
		page := f.used(random)
		return damage(fmt.Sprint(page), func(data []byte) { clear(pageOf(data, page)) })
	}},
	{"page of garbage", func(f *File, random *rand.Rand) Damage {
		page, fill := f.used(random), garbage(random.Uint64())
		return damage(fmt.Sprint(page), func(data []byte) { fill(pageOf(data, page)) })
	}},
	{"page over another", func(f *File, random *rand.Rand) Damage { // half the time with the right number
		from, to, numbered := f.used(random), f.used(random), random.IntN(2) == 0
		return damage(fmt.Sprintf("%d over %d %t", from, to, numbered), func(data []byte) { f.put(data, from, to, numbered) })
	}},
	{"pages swapped", func(f *File, random *rand.Rand) Damage { // likewise
		a, b, numbered := f.used(random), f.used(random), random.IntN(2) == 0
		return damage(fmt.Sprintf("%d and %d %t", a, b, numbered), func(data []byte) {
			f.put(data, b, a, numbered)
			f.put(data, a, b, numbered)
		})
	}},
	{"page as it was before", func(f *File, random *rand.Rand) Damage { // as if the disk had lost the last write
		for {
			version := random.IntN(len(f.Old))
			old, page := f.Old[version], 2+random.IntN(len(f.Data)/pageSize-2)
			if (page+1)*pageSize <= len(old) && string(pageOf(old, page)) != string(pageOf(f.Data, page)) {
				return damage(fmt.Sprintf("%d of state %d", page, version), func(data []byte) { copy(pageOf(data, page), pageOf(old, page)) })
			}
			if random.IntN(1000) == 0 {
				return damage("none", func([]byte) {})
			}
		}
	}},
	{"meta page damaged", func(f *File, random *rand.Rand) Damage {
		page, fill, sort := random.IntN(2), garbage(random.Uint64()), random.IntN(4)
		at, bit := random.IntN(metaBytes), byte(1)<<random.IntN(8)
		return damage(fmt.Sprintf("%d sort %d at %d^%d", page, sort, at, bit), func(data []byte) {
			meta := pageOf(data, page)[:metaBytes]
			switch sort {
			case 0:
				clear(meta)
			case 1:
				fill(meta)
			default:
				meta[at] ^= bit
			}
		})
	}},
	{"both meta pages damaged", func(f *File, random *rand.Rand) Damage {
		at, bt := 16+random.IntN(metaBytes-16), 16+random.IntN(metaBytes-16)
		return damage(fmt.Sprint(at, bt), func(data []byte) {
			data[at] ^= 1 << (at % 8)
			data[pageSize+bt] ^= 1 << (bt % 8)
		})
	}},
	{"meta page as it was before", func(f *File, random *rand.Rand) Damage {
		version, page := random.IntN(len(f.Old)), random.IntN(2)
		return damage(fmt.Sprintf("%d of state %d", page, version), func(data []byte) { copy(pageOf(data, page), pageOf(f.Old[version], page)) })
	}},
	{"file cut short", func(f *File, random *rand.Rand) Damage {
		size := random.IntN(len(f.Data))
		if random.IntN(2) == 0 {
			size = size / pageSize * pageSize
		}
		return Damage{What: fmt.Sprint(size), do: func(data []byte) []byte { return data[:size] }}
	}},
}

// Kinds returns the names of all kinds of damage.
func Kinds() (names []string) {
	for i := range kinds {
		names = append(names, kinds[i].name)
	}
	return names
}

// Choose returns the file and the damage of trial number n for a seed.
func Choose(files []*File, seed uint64, n int) (*File, Damage) {
	kind := kinds[n%len(kinds)]
	f := files[n/len(kinds)%len(files)]
	d := kind.draw(f, rand.New(rand.NewPCG(seed, uint64(n))))
	d.Kind, d.Brief = kind.name, n%4 != 0
	return f, d
}

func damage(where string, change func(data []byte)) Damage {
	return Damage{What: where, do: func(data []byte) []byte { change(data); return data }}
}

func pageOf(data []byte, n int) []byte { return data[n*pageSize : (n+1)*pageSize] }

// used returns a page with content, even if it is free now.
func (f *File) used(random *rand.Rand) int {
	for {
		page := random.IntN(len(f.Data) / pageSize)
		for _, b := range pageOf(f.Data, page) {
			if b != 0 {
				return page
			}
		}
	}
}

// at returns a place in a page with content.
func (f *File) at(random *rand.Rand) int { return f.used(random)*pageSize + random.IntN(pageSize) }

func (f *File) run(random *rand.Rand) (from, to int) {
	from = f.at(random)
	return from, min(from+1+random.IntN(600), len(f.Data))
}

// put overwrites a page by another of the healthy file, with the number of its place if
// numbered.
func (f *File) put(data []byte, from, to int, numbered bool) {
	copy(pageOf(data, to), pageOf(f.Data, from))
	if numbered {
		binary.NativeEndian.PutUint64(pageOf(data, to), uint64(to))
	}
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
