package bulk

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"errors"
)

// encode returns v in the form that decode reads, compressed to a third: some runners
// hold everything that passes between machines in memory.
func encode(v any) ([]byte, error) {
	var data bytes.Buffer
	w, err := flate.NewWriter(&data, flate.BestSpeed)
	if err == nil {
		err = errors.Join(gob.NewEncoder(w).Encode(v), w.Close())
	}
	return data.Bytes(), err
}

func decode(data []byte, to any) error {
	return gob.NewDecoder(flate.NewReader(bytes.NewReader(data))).Decode(to)
}

// MarshalBinary returns the encoding that UnmarshalBinary reads.
func (s *Shard) MarshalBinary() ([]byte, error) {
	type plain Shard // without this method
	return encode((*plain)(s))
}

// UnmarshalBinary reads the encoding of MarshalBinary.
func (s *Shard) UnmarshalBinary(data []byte) error {
	type plain Shard
	return decode(data, (*plain)(s))
}
