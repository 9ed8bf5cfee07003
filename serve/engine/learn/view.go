package learn

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/blend"
	"github.com/polya-classifier/polya/store"
)

// keyBlend is the key under which a user's database keeps the weights of his view.
const keyBlend = "serve/blend"

// blendDocuments is the number of a user's documents that weights are fitted to.
const blendDocuments = 1000

// kept are the weights that a user's database stores.
type kept struct {
	Weights classify.Weights
	Learned map[string]uint64 // documents by class in the database then
}

// keptIn returns the weights that a database stores, its documents, and whether the weights are of these.
func keptIn(own *classify.Classifier) (k kept, now map[string]uint64, fitted bool, err error) {
	now = make(map[string]uint64)
	err = own.Store().View(func(s *store.Snapshot) error {
		if json.Unmarshal(s.State(keyBlend), &k) != nil || k.Weights.Sum+k.Weights.Own <= 0 {
			k = kept{Weights: classify.Weights{Sum: 1}}
		}
		for _, class := range s.Classes() {
			if class.Docs > 0 {
				now[class.Name] = class.Docs
			}
		}
		return nil
	})
	return k, now, maps.Equal(k.Learned, now), err
}

// View returns the user's view of base, the open shared database, and own, the user's. It
// returns the same view until one of the databases is opened again.
func (d *Database) View(base, own *classify.Classifier) (*classify.View, error) {
	d.viewing.Lock()
	defer d.viewing.Unlock()
	of := [2]*classify.Classifier{base, own}
	if d.viewOf == of {
		return d.view, nil
	}
	v, err := classify.NewView(base, own)
	if err != nil {
		return nil, err
	}
	k, _, _, err := keptIn(own)
	if err != nil {
		return nil, err
	}
	v.Weigh(k.Weights)
	d.view, d.viewOf = v, of
	return v, nil
}

// blend fits the weights of a user's view anew if his database has changed.
func (d *Database) blend(ctx context.Context, own *classify.Classifier) error {
	if d.options.Base == nil || own.Store().Tags() {
		return nil
	}
	base, err := d.options.Base.Open(ctx, false)
	if base == nil || err != nil {
		return err
	}
	k, now, fitted, err := keptIn(own)
	if err != nil || fitted {
		return err
	}
	v, err := d.View(base, own)
	if err != nil {
		return err
	}
	if k.Weights, err = blend.Learn(ctx, v, blendDocuments); err != nil {
		return err
	}
	k.Learned = now
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	v.Weigh(k.Weights)
	return own.Store().PutState(map[string][]byte{keyBlend: data})
}
