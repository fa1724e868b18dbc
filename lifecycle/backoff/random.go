package backoff

// Random is a generator of random numbers as a value (splitmix64): equal seeds give equal
// sequences. It spreads load and keeps no secret: one number reveals all others.
type Random uint64

// Next returns the next generator and a number that is uniform over all 64 bits.
func (r Random) Next() (Random, uint64) {
	r += 0x9e3779b97f4a7c15
	z := uint64(r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return r, z ^ z>>31
}
