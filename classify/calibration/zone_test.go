package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// cheapest returns the answer of the least expected cost for a document of probability p.
func cheapest(p float64) Answer {
	costs := [...]float64{No: p * ZoneCosts.WrongNo, Unsure: ZoneCosts.Unsure, Yes: (1 - p) * ZoneCosts.WrongYes}
	best := No
	for a, cost := range costs {
		if cost < costs[best] {
			best = Answer(a)
		}
	}
	return best
}

// The assumed zone gives the cheapest answer for every probability.
func TestAssumedIsCheapest(t *testing.T) {
	z := assumedZone()
	for i := 1; i < 2000; i++ {
		p := (float64(i) + 0.1) / 2001
		if got, want := z.Answer(logit(p)), cheapest(p); got != want {
			t.Fatalf("p = %v: answer %v, want %v", p, got, want)
		}
	}
}

// many is a number of independent documents that hardly widens a zone.
const many = 1e9

// cases are documents of the class and of others, by their log-odds.
func cases(own, others []float64) (list []Odds) {
	for _, x := range own {
		list = append(list, Odds{LogOdds: x, Own: 1})
	}
	for _, x := range others {
		list = append(list, Odds{LogOdds: x})
	}
	return list
}

// drawn returns log-odds of documents whose probability of the class these are.
func drawn(n int) (own, others []float64) {
	random := rand.New(rand.NewPCG(5, 6))
	for range n {
		x := 8 * random.NormFloat64()
		if random.Float64() < 1/(1+math.Exp(-x)) {
			own = append(own, x)
		} else {
			others = append(others, x)
		}
	}
	return own, others
}

// A few documents do not move the zone of calibrated log-odds, however well these tell them
// apart, nor do many. Where the class has more documents than all others it is higher, by half
// of the log-odds of that, and no lower where it has fewer.
func TestChooseTakesLogOddsAsTheyAre(t *testing.T) {
	for _, n := range [][2]int{{10, 10}, {500, 500}, {25, 500}, {99, 24}, {499, 19}} {
		z := ChooseZone(cases(slices.Repeat([]float64{1}, n[0]), slices.Repeat([]float64{-.5}, n[1])), many, many)
		want := assumedZone()
		excess := max(0, math.Log(float64(n[0]+1)/float64(n[1]+1))/2)
		if math.Abs(z.No-want.No-excess) > 1e-9 || math.Abs(z.Yes-want.Yes-excess) > 1e-9 || z.Excess() != excess {
			t.Errorf("%v documents: %v to %v, excess %v, want %v to %v and %v more", n, z.No, z.Yes, z.Excess(), want.No, want.Yes, excess)
		}
	}
}

// cost is what the answers of a zone cost for documents.
func cost(z Zone, own, others []float64) float64 {
	sum := 0.0
	for _, x := range own {
		sum += [...]float64{No: ZoneCosts.WrongNo, Unsure: ZoneCosts.Unsure, Yes: 0}[z.Answer(x)]
	}
	for _, x := range others {
		sum += [...]float64{No: 0, Unsure: ZoneCosts.Unsure, Yes: ZoneCosts.WrongYes}[z.Answer(x)]
	}
	return sum
}

// On documents not seen the chosen zone costs nearly as little as the best of all zones.
func TestChosenZoneCostsLittle(t *testing.T) {
	own, others := drawn(20_000)
	testOwn, testOthers := own[len(own)/2:], others[len(others)/2:]
	z := ChooseZone(cases(own[:len(own)/2], others[:len(others)/2]), many, many)
	chosen, best := cost(z, testOwn, testOthers), math.Inf(1)
	for no := -12.0; no < 12; no += 0.5 {
		for yes := no; yes < 24; yes += 0.5 {
			best = min(best, cost(Zone{No: no, Yes: yes}, testOwn, testOthers))
		}
	}
	if !(chosen < 1.15*best) {
		t.Errorf("chosen %v, best %v", chosen, best)
	}
}

// A zone counts its documents, and is finite and ordered whatever they are.
func TestChooseExtremes(t *testing.T) {
	inf := math.Inf(1)
	for _, docs := range [][2][]float64{
		{nil, nil}, {{inf}, {-inf}}, {{-inf, -inf}, {inf, inf}}, {slices.Repeat([]float64{5}, 1000), nil},
		{nil, slices.Repeat([]float64{5}, 1000)}, {slices.Repeat([]float64{-50}, 1000), slices.Repeat([]float64{50}, 1000)},
		{{1e300, math.MaxFloat64}, {-1e300}},
	} {
		z := ChooseZone(cases(docs[0], docs[1]), 1, 1)
		if !(z.No < z.Yes) || math.IsInf(z.No, 0) || math.IsInf(z.Yes, 0) {
			t.Errorf("%v to %v", z.No, z.Yes)
		}
		if z.Own[0]+z.Own[1]+z.Own[2] != len(docs[0]) || z.Others[0]+z.Others[1]+z.Others[2] != len(docs[1]) {
			t.Errorf("%+v counts other documents", z)
		}
	}
}

// Between classes that nothing lies between, a zone leaves unsure what few documents of a
// class reach: the more, the fewer of the others are independent.
func TestChooseBetweenClasses(t *testing.T) {
	var own, others []float64
	for i := range 100 {
		own, others = append(own, 5+float64(i)/5), append(others, -5-float64(i)/5)
	}
	for independent, left := range map[float64][2]int{1: {100, 10}, 4: {50, 5}, 25: {20, 2}, 100: {10, 1}, many: {0, 1}} {
		z := ChooseZone(cases(own, others), independent, independent)
		if got := [2]int{z.Own[Unsure], z.Others[Unsure]}; got != [2]int{left[0], left[1] - 1} {
			t.Errorf("%v independent: %v documents of the class and of others are unsure, want %v", independent, got, left)
		}
	}
	alike := cases(slices.Repeat([]float64{10}, 100), slices.Repeat([]float64{-10}, 100))
	if z := ChooseZone(alike, 16, 16); z.Own[Yes] != 100 || z.Others[No] != 100 || z.Yes > 9 {
		t.Errorf("where the documents of a class are nearly the same: %+v", z)
	}
}

// Documents whose labels are probably wrong move the zone hardly at all.
func TestChooseWithMislabelled(t *testing.T) {
	var own, others []float64
	for i := range 150 {
		own, others = append(own, 4+float64(i%10)/2), append(others, -5-float64(i%10)/2)
	}
	clean := ChooseZone(cases(own, others), many, many)
	docs := append(cases(own, others), slices.Repeat([]Odds{{LogOdds: 8, Own: .99}}, 8)...)
	if z := ChooseZone(docs, many, many); math.Abs(z.Yes-clean.Yes) > .2 || math.Abs(z.No-clean.No) > .2 {
		t.Errorf("with mislabelled ones %v to %v, without %v to %v", z.No, z.Yes, clean.No, clean.Yes)
	}
}

// Evidence equals the evidence of a sorted list.
func TestEvidence(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		var e Evidence
		var ratios []float64
		var fields, text, ofFields, ofText float64
		for range n {
			r := math.Round(6 * random.NormFloat64())
			field := random.IntN(2) == 0
			e.Add(r, field)
			ratios = append(ratios, max(r, 0))
			if field {
				fields, ofFields = fields+r, ofFields+1
			} else {
				text, ofText = text+r, ofText+1
			}
		}
		slices.Sort(ratios)
		want := 0.0
		for _, r := range ratios[max(0, n-5):] {
			want += r
		}
		ofTheText := 0.0
		if ofFields > 0 {
			ofTheText = text / (ofText + 1)
		}
		if e.Values() != (Bounds{want, fields / (ofFields + 1), ofTheText}) {
			t.Errorf("%d terms: %+v, want %v, %v of %v, %v of %v", n, e, want, fields, ofFields, text, ofText)
		}
	}
}

// Terms that speak against the class do not weaken the strongest that speak for it.
func TestStrongestIsNotDrowned(t *testing.T) {
	var e Evidence
	for range 5 {
		e.Add(4, false)
	}
	for range 1000 {
		e.Add(-6, false)
	}
	if got := e.Values()[0]; got != 20 {
		t.Errorf("strongest %v, want 20", got)
	}
}

// Bounds are exceeded by a further document about as often as they say.
func TestBoundsAreExceededSeldom(t *testing.T) {
	draw := func(random *rand.Rand) Bounds {
		return Bounds{random.ExpFloat64(), random.ExpFloat64(), random.ExpFloat64()}
	}
	for n, most := range map[int]float64{100: 1. / 101, 150: 1. / 151, 199: exceeding, 500: exceeding, 2000: exceeding} {
		const rounds = 2000
		if testing.Short() && n == 2000 {
			continue
		}
		random := rand.New(rand.NewPCG(3, uint64(n))) // the order of the map is no matter
		exceeded := [3]int{}
		for range rounds {
			found := make([]Bounds, n)
			for i := range found {
				found[i] = draw(random)
			}
			bounds, ok := ChooseBounds(found, n)
			if !ok {
				t.Fatal("no bounds")
			}
			next := draw(random)
			for k, beyond := range []bool{next[0] > bounds[0], next[1] > bounds[1], next[2] > bounds[2]} {
				if beyond {
					exceeded[k]++
				}
			}
		}
		for _, k := range exceeded {
			if share := float64(k) / rounds; share > most+4*math.Sqrt(most/rounds) || share < most/4 {
				t.Errorf("of %d: exceeded by %v, want at most about %v", n, share, most)
			}
		}
	}
}

// Of n+1 documents drawn from one source each is as likely as any other to be the next one:
// it exceeds the k-th greatest of the n others with probability k/(n+1). The bounds have the
// greatest k for which that is at most 1/200, and 1 if there is none.
func TestBoundsRank(t *testing.T) {
	for n := 100; n <= 3000; n++ {
		found := make([]Bounds, n)
		for i := range found {
			x := float64(i)
			found[i] = Bounds{x, x, x}
		}
		b, ok := ChooseBounds(found, n)
		k := n - int(b[0])
		if !ok || b != (Bounds{b[0], b[0], b[0]}) || k > 1 && 200*k > n+1 || 200*(k+1) <= n+1 {
			t.Fatalf("of %d documents: rank %d, %v", n, k, ok)
		}
	}
}

// Fields that speak for other classes are never beyond the bound, and fewer than 100
// documents make none.
func TestBoundsSpecial(t *testing.T) {
	b, ok := ChooseBounds(slices.Repeat([]Bounds{{7, -3, -2}}, 200), 200)
	if !ok || b != (Bounds{7}) {
		t.Errorf("%+v, %v", b, ok)
	}
	var e Evidence
	e.Add(-2, true)
	if b.Exceeds(&e) {
		t.Error("fields for other classes contradict")
	}
	if _, ok := ChooseBounds(make([]Bounds, 99), 99); ok {
		t.Error("99 documents make bounds")
	}
	if _, ok := ChooseBounds(make([]Bounds, 100), 200); ok {
		t.Error("what is said of half of the documents makes bounds")
	}
}

// The cuts of a zone and the bounds belong to the cautious side: log-odds of Yes itself are
// unsure, those of No itself are no, and evidence of a bound itself does not exceed it.
func TestBoundariesThemselves(t *testing.T) {
	z := Zone{No: -1, Yes: 2}
	for logOdds, want := range map[float64]Answer{-1: No, math.Nextafter(-1, 0): Unsure, 2: Unsure, math.Nextafter(2, 3): Yes} {
		if got := z.Answer(logOdds); got != want {
			t.Errorf("%v: answer %v, want %v", logOdds, got, want)
		}
	}
	var e Evidence
	e.Add(3, true) // Strongest 3, Fields 1.5
	for b, want := range map[Bounds]bool{{3, 1.5, 0}: false, {2.9, 1.5, 0}: true, {3, 1.4, 0}: true, {3, 1.5, -.1}: true} {
		if got := b.Exceeds(&e); got != want {
			t.Errorf("%+v: %v, want %v", b, got, want)
		}
	}
}

// Where all documents of a class have nearly the same log-odds, yes takes less: the way to the greatest is
// shortened by 1/√√n.
func TestZoneOfEqualDocuments(t *testing.T) {
	var docs []Odds
	for range 100 {
		docs = append(docs, Odds{LogOdds: 20, Own: 1}, Odds{LogOdds: -20})
	}
	z, cut := ChooseZone(docs, 100, 100), math.Log(.99/.01)
	if want := 20 - (20-cut)*(1-1/math.Sqrt(10)); math.Abs(z.Yes-want) > 1e-9 {
		t.Errorf("yes above %v, want %v", z.Yes, want)
	}
}
