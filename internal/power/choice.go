package power

import (
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Choice draws which pending changes are on disk when the power fails.
type Choice struct {
	// Names and Data are the probabilities that a change of names, and that a write or a
	// change of a file's length, is on disk.
	Names, Data float64

	// Torn is the probability that a write on disk is torn: each of its sectors, of Sector
	// bytes, is there with probability ½.
	Torn   float64
	Sector int64

	// Length is the probability that a write that is missing, or missing its end, has still
	// made the file longer, with zeros.
	Length float64

	// Random is needed if a probability is neither 0 nor 1.
	Random *rand.Rand
}

// All is the state after a killed process: the system has all its changes. None is the
// state if the disk has not begun any pending change.
var (
	All  = Choice{Names: 1, Data: 1}
	None = Choice{}
)

// Draw returns a random choice.
func Draw(random *rand.Rand) Choice {
	pick := func(from ...float64) float64 { return from[random.IntN(len(from))] }
	return Choice{
		Names: pick(0, .5, 1), Data: pick(.1, .5, .9), Torn: pick(0, .3, 1), Length: pick(0, .5, 1),
		Sector: int64(pick(512, 4096)), Random: random,
	}
}

func (c Choice) chance(p float64) bool { return p >= 1 || p > 0 && c.Random.Float64() < p }

// write returns the content of a file with the part of a write that is on disk.
func (c Choice) write(data []byte, e *Event) []byte {
	end := e.Offset + int64(len(e.Data))
	switch {
	case !c.chance(c.Data):
	case !c.chance(c.Torn):
		return e.change(data)
	default:
		for from := e.Offset; from < end; {
			to := min(from-from%c.Sector+c.Sector, end)
			if c.chance(.5) {
				sector := Event{Kind: Write, Offset: from, Data: e.Data[from-e.Offset : to-e.Offset]}
				data = sector.change(data)
			}
			from = to
		}
	}
	if int64(len(data)) < end && c.chance(c.Length) {
		data = resize(data, end)
	}
	return data
}

// Put writes the files into a folder, which is made.
func Put(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
