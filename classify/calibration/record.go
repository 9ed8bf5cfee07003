package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// A Record holds how reliable the answers of the chosen model were: for each document of
// the calibration sample the answer without the document, and whether that was right. The
// latest documents are answered by those learned before them, where the ledger says which
// these are; all others by all others. The zero Record is empty.
type Record struct {
	answers []Answered // the surest first

	// shown is, by answer, the greatest precision of the worst answers down to one at most as
	// sure, and own that of the answers of its class.
	shown, own []float64
	classes    map[count.ClassID][]int // by class: its answers
	labels     map[count.ClassID]*sum  // of the classes that documents of the Record have

	// See Bounded.
	least  map[count.ClassID]float64 // by class: log-odds up to which answers have earned nothing
	absent map[count.ClassID]bool    // classes that it knows nothing of
	share  float64                   // of those taught since in what comes
}

// Answered is the answer for one document of a Record.
type Answered struct {
	Class   count.ClassID // that was answered, the most probable
	Label   count.ClassID // that the document was learned as
	LogOdds float64       // of the class, in nats
	Right   float64       // the probability that the answer was right: 0 or 1 if the label is certain
}

const (
	// doubt is the number of wrong answers that are added to those of a Record: a precision
	// of .9 is known from nine answers on, all of them right, and one of .99 from 99.
	doubt = 1

	// OfFew is the Label of documents of all classes that have too few for a Model.
	OfFew = math.MaxUint32

	// ofAll is the number of answers of all classes, as often right as these, that are added
	// to those of a class: on mail folders cuts of each folder's own gave 86 % right where
	// 95 % was asked.
	ofAll = 20
)

// NewRecord returns the Record of answers, which it sorts and rounds to what Marshal keeps.
func NewRecord(answers []Answered) *Record {
	for i, a := range answers {
		answers[i].LogOdds = math.Round(recordSteps*max(-recordMost, min(recordMost, a.LogOdds))) / recordSteps
		answers[i].Right = math.Round(rightSteps*a.Right) / rightSteps
	}
	slices.SortStableFunc(answers, func(a, b Answered) int {
		return cmp.Or(cmp.Compare(b.LogOdds, a.LogOdds), cmp.Compare(a.Class, b.Class), cmp.Compare(b.Right, a.Right), cmp.Compare(a.Label, b.Label))
	})
	labels, likely := taught(answers)
	r := &Record{answers: answers, classes: make(map[count.ClassID][]int), labels: labels}
	r.shown, r.own = make([]float64, len(answers)), make([]float64, len(answers))
	classes, last := make(map[count.ClassID]sum), 1.
	rated := slices.Clone(likely)
	for i, a := range answers {
		of := classes[a.Class]
		of.add(a)
		labels[a.Label].add(a)
		r.shown[i] = worst(rated, float64(i+1))
		if len(likely) > 2 { // with that of few
			last = toCome(likely, last)
			r.shown[i] = min(r.shown[i], last)
		}
		r.own[i] = (of.right + ofAll*r.shown[i]) / (of.all + ofAll)
		r.classes[a.Class], classes[a.Class] = append(r.classes[a.Class], i), of
	}
	best, own := 0., make(map[count.ClassID]float64)
	for i, a := range slices.Backward(answers) {
		// Equally sure answers stand or fall together: what counts is the last of them.
		if i == len(answers)-1 || a.LogOdds != answers[i+1].LogOdds {
			best = max(best, r.shown[i])
		}
		own[a.Class] = max(own[a.Class], r.own[i])
		r.shown[i], r.own[i] = best, own[a.Class]
	}
	return r
}

// Bounded returns r for the answers of the model of k with this name, whose record it is, in a
// database that now has these classes. r and k may be nil.
//
// Answers of a class that has more documents than all others, few of which are independent of each
// other, earn nothing up to the log-odds from which a filter says yes: after 300 spams and 20
// newsletters nine of ten answers were right, since they all were spam, and so was nearly all other mail.
//
// Nothing is known of a class that no document of r has: it was taught since, or too few of it were.
// Its answers earn nothing. All documents of those taught since may be taken for those of other
// classes, so the precision of these is less by the share of such documents in what comes. That is
// not known: of n classes a part of a whole broken at random has 1/n on the average, and what people
// teach first is what is new, so it is no more than in what was taught since, with a document added
// to each class.
func (r *Record) Bounded(k *Calibration, name string, classes []*count.Class) *Record {
	m := k.Model(name)
	if r == nil || m == nil {
		return r
	}
	bounded := *r
	bounded.least, bounded.absent = make(map[count.ClassID]float64), make(map[count.ClassID]bool)
	for class := range m.Zones {
		if logOdds, unlike := m.unlikeOthers(class); unlike {
			bounded.least[class] = logOdds
		}
	}
	fresh, taught, since, n := 0., 0., 0., float64(count.WithDocuments(classes))
	for _, class := range classes {
		before := k.Learned[class.ID]
		more := float64(class.Docs - min(class.Docs, before))
		since += more
		// A sample of very many classes, which has no Zones, lacks some by chance.
		if class.Docs == 0 || r.labels[class.ID] != nil || len(m.Zones) == 0 && before > 0 {
			continue
		}
		if bounded.absent[class.ID] = true; before == 0 {
			fresh, taught = fresh+1, taught+more
		}
	}
	if fresh > 0 {
		bounded.share = min(fresh/n, (fresh+taught)/(n+since))
	}
	return &bounded
}

// sum is what the answers of a class sum up to, or those for its documents; see toCome for the rest.
type sum struct{ right, all, known, unknown, key float64 }

func (s *sum) add(a Answered) { s.right, s.all = s.right+a.Right, s.all+1 }

// worstShare is the share of answers, those for the classes answered worst, that Precision is of.
// What comes has other shares of the classes than what was learned: people teach about as much of
// each folder, and most mail comes for those that are the hardest to tell from others. With all
// answers, 75 % were filed rightly where 90 % was promised.
const worstShare = 2. / 3

// worst returns the precision of the worst of so many answers. It sorts the sums.
func worst(sums []*sum, all float64) float64 {
	inOrder(sums, func(of *sum) float64 { return of.right / max(of.all, 1) })
	left, right := worstShare*all, 0.
	for _, of := range sums {
		n := min(left, of.all)
		left, right = left-n, right+n*of.right/max(of.all, 1)
	}
	return right / (worstShare * (all + doubt))
}

// inOrder sorts sums by a key. Few have another place than at the last call.
func inOrder(sums []*sum, key func(*sum) float64) {
	for i, of := range sums {
		for of.key = key(of); i > 0 && sums[i-1].key > of.key; i-- {
			sums[i] = sums[i-1]
		}
		sums[i] = of
	}
}

// taught returns a sum of no answers for each label, and a list of them.
//
// Shares as unequal as those of a whole that is broken at random are taken for those of what comes,
// equal ones for those of a person who has taught about as much of each class. Their inequality is
// the sum of their squares: of k equal shares 1/k, and of a broken whole 2/(k+1) on the average. A
// class that has more documents than all others counts as much as these: people teach what they do
// not want, and the few others show little of what else will come. Documents of classes with too few
// count as they were taught: a new folder is no reason to file nothing.
func taught(answers []Answered) (labels map[count.ClassID]*sum, list []*sum) {
	few, n, squares, counted := &sum{known: 1}, 0., 0., 0.
	labels = map[count.ClassID]*sum{OfFew: few}
	for _, a := range answers {
		if labels[a.Label] == nil {
			labels[a.Label] = new(sum)
			list = append(list, labels[a.Label])
		}
		if a.Label != OfFew {
			labels[a.Label].all, n = labels[a.Label].all+1, n+1
		}
	}
	k := float64(len(list))
	for _, of := range list {
		squares += of.all / n * of.all / n
		counted += min(of.all, n-of.all)
	}
	learned := min(1, (squares-1/k)/(2/(k+1)-1/k))
	for _, of := range list {
		*of = sum{known: learned * min(1, n/of.all-1), unknown: (1 - learned) * counted / k / of.all}
	}
	return labels, append(list, few)
}

// toCome returns the precision of the answers summed by label, which it sorts, where the shares that
// are not known are the parts of a broken whole, the i-th greatest of k Σ_{j≥i} 1/(jk), and the greater
// the worse the answers for a document of the class are. last is about that precision.
func toCome(labels []*sum, last float64) float64 {
	inOrder(labels, func(of *sum) float64 { return (of.right - last*of.all) * of.unknown })
	right, all, part := 0., 0., 0.
	for i, of := range slices.Backward(labels) {
		part += 1 / float64(i+1)
		weight := of.known + part*of.unknown
		right, all = right+weight*of.right, all+weight*of.all
	}
	return right / (all + doubt)
}

// Precision returns the precision that an answer has earned: the greatest share of right
// answers among those of the Record down to a cut-off that it reaches too. It is the least of
// three: of two thirds of all answers, those for the classes answered worst; of all, if documents come
// in other shares of the classes, see taught; and of those of its class. It is 0 if none of the
// Record is less sure or as sure; see also Bounded, and Lacks.
func (r *Record) Precision(class count.ClassID, logOdds float64) float64 {
	if r == nil {
		return 0
	}
	at, _ := slices.BinarySearchFunc(r.answers, logOdds, func(a Answered, logOdds float64) int { return cmp.Compare(logOdds, a.LogOdds) })
	if least, bounded := r.least[class]; bounded && logOdds <= least || at == len(r.answers) || r.absent[class] {
		return 0
	}
	precision, list := r.shown[at], r.classes[class]
	if k, _ := slices.BinarySearch(list, at); k < len(list) {
		precision = min(precision, r.own[list[k]])
	}
	return precision * (1 - r.share)
}

// Knows reports whether r has documents of the class; see Bounded.
func (r *Record) Knows(class count.ClassID) bool { return r != nil && !r.absent[class] }

// Lacks reports whether an answer of the class with this Precision may have earned one of share, if
// r knew the classes that it knows nothing of: calibrating anew tells. r may be nil.
func (r *Record) Lacks(class count.ClassID, precision, share float64) bool {
	return !r.Knows(class) || precision < share && precision >= share*(1-r.share)
}

// Earned is how the answers of a class, or of all, would have done at a precision.
type Earned struct {
	Documents int     // of the class in the Record, by the answer
	Filed     int     // answers that have earned the precision
	Right     float64 // how many of these were right, as expected by the labels
}

// Earned returns how the answers of a class, nil for all, would have done at a precision if they
// must have the given log-odds besides, in nats.
func (r *Record) Earned(class *count.ClassID, precision, logOdds float64) (e Earned) {
	if r == nil {
		return e
	}
	for _, a := range r.answers {
		if class != nil && a.Class != *class {
			continue
		}
		e.Documents++
		if a.LogOdds >= logOdds && r.Precision(a.Class, a.LogOdds) >= precision {
			e.Filed++
			e.Right += a.Right
		}
	}
	return e
}

// Documents returns the number of answers.
func (r *Record) Documents() int {
	if r == nil {
		return 0
	}
	return len(r.answers)
}

const (
	// recordVersion is the first byte of a Record in binary form. Version 1 has no labels.
	recordVersion = 2

	// Log-odds are kept in steps of 1/recordSteps, up to recordMost.
	recordSteps = 1 << 10
	recordMost  = 1 << 6

	rightSteps = 255
)

// Marshal returns r in binary form: a version, then of each answer, the surest first, by
// how many steps its log-odds are less than those of the last, its class, whether it was right,
// 0 to 255, and its label.
func (r *Record) Marshal() []byte {
	c := codec{data: []byte{recordVersion}}
	last := int64(recordMost * recordSteps)
	for _, a := range r.answers {
		at := int64(recordSteps * a.LogOdds)
		c.number(new(uint64(last - at)))
		c.class(&a.Class)
		c.bytes([]byte{byte(math.Round(rightSteps * a.Right))})
		c.class(&a.Label)
		last = at
	}
	return c.data
}

// ParseRecord reads the output of Marshal. It returns nil if data is anything else.
func ParseRecord(data []byte) *Record {
	if len(data) == 0 || data[0] == 0 || data[0] > recordVersion {
		return nil
	}
	var answers []Answered
	at := uint64(0)
	for c := (codec{data: data[1:], reads: true}); len(c.data) > 0; {
		var less uint64
		var a Answered
		var right [1]byte
		c.number(&less)
		c.class(&a.Class)
		c.bytes(right[:])
		if a.Label = a.Class; data[0] > 1 {
			c.class(&a.Label)
		}
		if c.bad || less > 2*recordMost*recordSteps-at {
			return nil
		}
		at += less
		a.LogOdds, a.Right = recordMost-float64(at)/recordSteps, float64(right[0])/rightSteps
		answers = append(answers, a)
	}
	return NewRecord(answers)
}

// A Suspect is a learned document whose label is probably wrong.
type Suspect struct {
	ID     count.DocID
	Class  count.ClassID // its label
	Likely count.ClassID // the most probable of its classes
	Wrong  float64       // the probability that the label is wrong, above .5
}

// mostSuspects bounds the suspects that are kept: people look at a few.
const mostSuspects = 1000

// suspectsVersion is the first byte of suspects in binary form.
const suspectsVersion = 1

// MarshalSuspects returns the likeliest suspects in binary form: a version, then of each its
// id, its two classes, and the bits of Wrong. It sorts the suspects.
func MarshalSuspects(list []Suspect) []byte {
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Wrong, a.Wrong), slices.Compare(a.ID[:], b.ID[:]))
	})
	c := codec{data: []byte{suspectsVersion}}
	for _, s := range list[:min(len(list), mostSuspects)] {
		c.suspect(&s)
	}
	return c.data
}

// ParseSuspects reads the output of MarshalSuspects. It returns nil if data is anything else.
func ParseSuspects(data []byte) (list []Suspect) {
	if len(data) == 0 || data[0] != suspectsVersion {
		return nil
	}
	for c := (codec{data: data[1:], reads: true}); len(c.data) > 0; {
		var s Suspect
		if c.suspect(&s); c.bad || !(s.Wrong >= 0 && s.Wrong <= 1) {
			return nil
		}
		list = append(list, s)
	}
	return list
}

func (c *codec) suspect(s *Suspect) {
	wrong := float32(s.Wrong)
	c.bytes(s.ID[:])
	c.class(&s.Class)
	c.class(&s.Likely)
	c.float32(&wrong)
	s.Wrong = float64(wrong)
}
