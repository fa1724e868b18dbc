package model

// Source is a source of random choices. *rand.Rand of math/rand is one.
type Source interface {
	// Intn returns a number from 0 to n-1; n is at least 1.
	Intn(n int) int
}

// Bytes is a Source that reads a byte for every choice, for fuzz targets. After the end it
// returns zeros.
type Bytes struct{ rest []byte }

// NewBytes returns the Source of the data.
func NewBytes(data []byte) *Bytes { return &Bytes{data} }

// Done reports whether all bytes were used.
func (b *Bytes) Done() bool { return len(b.rest) == 0 }

// Intn returns the next byte, or two if n needs them, modulo n.
func (b *Bytes) Intn(n int) int {
	v := b.next()
	if n > 256 {
		v = v<<8 | b.next()
	}
	return v % n
}

func (b *Bytes) next() int {
	if len(b.rest) == 0 {
		return 0
	}
	v := b.rest[0]
	b.rest = b.rest[1:]
	return int(v)
}

// dice are the choices of generators.
type dice struct{ Source }

// one reports true once in n times on average. The choice 0 is false, so that shrinking
// removes unusual choices.
func (d dice) one(n int) bool { return d.Intn(n) == n-1 }

func pick[T any](d dice, list []T) T { return list[d.Intn(len(list))] }

// some returns a random part of the list in its order.
func some[T any](d dice, list []T) []T {
	out := make([]T, 0, len(list))
	for _, v := range list {
		if d.one(2) {
			out = append(out, v)
		}
	}
	return out
}
