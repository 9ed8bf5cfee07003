package salvage

import (
	"os"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

func readPages(f *os.File) (*pages.Salvage, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fault.Plain(err)
	}
	s, err := pages.Open(f, info.Size(), pages.Content{Buckets: append(slices.Concat(stored.Buckets, stored.AttributeBuckets), stored.BucketFold), Kind: kind})
	if err == pages.ErrNoPages {
		return nil, fault.ErrNotPolya
	}
	if err != nil {
		return nil, notRepaired("%v", err)
	}
	return s, nil
}

// kind guesses the bucket of a key and value by their checksum, nil if none fits.
func kind(key, v []byte) []byte {
	switch len(key) {
	case 8:
		if t, err := table.Open(v); err == nil && t.Sound() {
			return stored.BucketTable
		}
		if _, err := stored.DecodeRecord(key, v); err == nil {
			return stored.BucketLog
		}
	case 16:
		if _, err := stored.DecodeEntry(key, v); err == nil {
			return stored.BucketLedger
		}
	}
	bare := wire.CheckCRC(v, key)
	if bare == nil {
		return nil
	}
	if len(key) == 4 && stored.DecodeClass(v, key, new(count.Class)) == nil {
		return stored.BucketTotal
	}
	if len(key) == 4 && count.CheckClassName(string(bare)) == nil {
		return stored.BucketClass
	}
	if stored.IsSetting(key) {
		return stored.BucketMeta
	}
	if attributes.ReadRow(key, v, new(attributes.Row)) == nil {
		return stored.BucketAttribute
	}
	if _, _, ok := attributes.SplitValueKey(key); ok {
		if new(attributes.Row).DecodeValue(bare) == nil {
			return stored.BucketValue
		}
	}
	return stored.BucketState
}
