package generate

// random is a small generator of our own (splitmix64), so that the samples stay
// the same bytes whatever the standard library does.
type random uint64

// seeded starts a stream of its own for each name: a changed phrase file in one
// language leaves the other messages as they are.
func seeded(name string) *random {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	r := random(h)
	return &r
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// percent is true in p of 100 cases.
func (r *random) percent(p int) bool { return r.below(100) < p }

// pick is one of list.
func pick[T any](r *random, list []T) T { return list[r.below(len(list))] }

// shuffle puts list into random order.
func shuffle[T any](r *random, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

// some is k of list, in the order of list.
func some[T any](r *random, list []T, k int) []T {
	var out []T
	for i, v := range list {
		if left := len(list) - i; r.below(left) < k-len(out) {
			out = append(out, v)
		}
	}
	return out
}
