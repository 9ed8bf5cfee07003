package bulk

import (
	"bytes"
	"compress/flate"
	"encoding/gob"
	"errors"
)

// encode returns v, which decode reads. It is compressed, to a third: what goes from one
// machine to another is held in memory there, by some runners by all of it.
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

// MarshalBinary returns what UnmarshalBinary reads.
func (s *Shard) MarshalBinary() ([]byte, error) {
	type plain Shard // without this method
	return encode((*plain)(s))
}

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Shard) UnmarshalBinary(data []byte) error {
	type plain Shard
	return decode(data, (*plain)(s))
}
