package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Plan is a workload. Equal plans do equal things.
type Plan struct {
	Seed     uint64
	Trainers int          // at the same time
	Ledger   count.Ledger // of the database
}

// String returns the name of the plan in reports.
func (p Plan) String() string {
	return fmt.Sprintf("seed %d, ledger %s, %d trainers", p.Seed, p.Ledger, p.Trainers)
}

// These bound the steps: enough at once that the store sums it in memory, and so few
// in all that a state is checked in some milliseconds.
const (
	bulkDocuments = 270
	mostDocuments = 600
)

type kind uint8

const (
	train      kind = iota // one document
	trainFew               // some in one Delta
	trainBulk              // enough that they are summed first
	trainAgain             // a document that is learned already
	relabel
	forget
	forgetMany  // the oldest, until few are left
	merge       // another database
	load        // the dump of another database
	position    // a Delta with a position, given twice after a kill
	state       // beside the counts
	renameClass // to and fro
	deleteClass
	compact
	prune
	backup
	copyDump // the whole database into a new one
	reopen
)

var kindNames = [...]string{
	train: "train", trainFew: "train", trainBulk: "bulk", trainAgain: "train", relabel: "relabel", forget: "forget", forgetMany: "bulk",
	merge: "merge", load: "load", position: "train", state: "state", renameClass: "rename", deleteClass: "delete", compact: "compact",
	prune: "prune", backup: "backup", copyDump: "copy", reopen: "reopen",
}

// deck holds each kind as often as it occurs in so many steps, shuffled each time, so
// that every part of a workload has all of them.
var deck = dealt(map[kind]int{
	train: 10, trainFew: 5, trainBulk: 1, trainAgain: 2, relabel: 3, forget: 3, merge: 2, load: 2, position: 3,
	state: 1, renameClass: 1, deleteClass: 1, compact: 1, prune: 2, backup: 1, copyDump: 1, reopen: 1,
})

func dealt(times map[kind]int) (cards []kind) {
	for k := range kind(len(kindNames)) {
		cards = append(cards, slices.Repeat([]kind{k}, times[k])...)
	}
	return cards
}

// operation is one step.
type operation struct {
	kind kind
	docs []int // numbers of documents that are learned, moved or forgotten
	to   int   // the class that they are moved to
}

// draw returns the trainer's next step, which depends only on the plan and the steps
// before.
func (t *trainer) draw() operation {
	of := t.plan.Seed<<8 | uint64(t.number)
	o := operation{kind: deck[rand.New(rand.NewPCG(of, uint64(t.step/len(deck)))).Perm(len(deck))[t.step%len(deck)]]}
	random := rand.New(rand.NewPCG(of, 1<<32|uint64(t.step)))
	if len(t.order) > mostDocuments {
		o.kind = forgetMany
	}
	if !t.possible(o.kind) {
		o.kind = train
	}
	switch o.kind {
	case train, position:
		o.docs = t.unknown(1)
	case trainFew, merge, load:
		o.docs = t.unknown(2 + random.IntN(12))
	case trainBulk:
		o.docs = t.unknown(bulkDocuments)
	case trainAgain, forget:
		o.docs = []int{t.order[random.IntN(len(t.order))]}
	case relabel:
		o.docs = []int{t.order[random.IntN(len(t.order))]}
		o.to = (t.docs[o.docs[0]].class + 1 + random.IntN(classes-1)) % classes
	case forgetMany:
		o.docs = t.order[:len(t.order)-20]
	}
	return o
}

// possible reports whether a step of the kind has a defined result here.
func (t *trainer) possible(k kind) bool {
	none := t.plan.Ledger == count.LedgerNone
	switch k {
	case trainAgain:
		return len(t.order) > 0 && !none // it would be learned twice
	case relabel, forget:
		return len(t.order) > 0
	case renameClass:
		return t.inClass[renamed] > 0
	case deleteClass:
		return t.inClass[trash] > 0
	case prune:
		return !none // a later forget could take the document from either place
	case reopen:
		return t.plan.Trainers == 1
	case position:
		return t.number == 0 // positions are of one log
	}
	return true
}

// unknown returns the numbers of n documents that were never learned.
func (t *trainer) unknown(n int) []int {
	docs := make([]int, n)
	for i := range docs {
		docs[i] = t.next + i
	}
	return docs
}
