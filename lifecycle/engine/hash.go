package engine

import "math/bits"

// Ids, tokens and uris are chosen by the peer, and tables are keyed by a number. SipHash with a
// key that the peer does not know keeps it from choosing texts that fall together; 1-3 is the
// variant that hash tables use. Whoever finds an entry by its hash compares the text too, and
// what hashes like another entry is refused.
//
// hash/maphash would do the same, but its key differs from process to process, and a session may
// move from one to another.

// KeyOf returns the key of Hash that the bytes of a Config stand for.
func KeyOf(b [16]byte) [2]uint64 {
	var k [2]uint64
	for i, v := range b {
		k[i/8] |= uint64(v) << (8 * (i % 8))
	}
	return k
}

// Hash returns the SipHash-1-3 of s under the key, with a tag that keeps
// domains apart. The key comes from Config, so that a peer cannot choose ids that
// collide.
func Hash(key [2]uint64, tag uint64, s string) uint64 {
	h := newSIP(key, tag)
	n := len(s) &^ 7
	for i := 0; i < n; i += 8 {
		h.block(word(s[i:]))
	}
	return h.end(s[n:], len(s))
}

// sip is the state of a hash between two blocks.
type sip struct{ v0, v1, v2, v3 uint64 }

// newSIP returns the state before the first block, by the constants of SipHash.
func newSIP(key [2]uint64, tag uint64) sip {
	return sip{
		key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
		key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573 ^ tag,
	}
}

// word reads eight bytes as a little-endian number; the compiler makes one load of it.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// block takes eight bytes in, with the one round of SipHash-1-3.
func (h *sip) block(m uint64) {
	h.v3 ^= m
	h.v0, h.v1, h.v2, h.v3 = sipround(h.v0, h.v1, h.v2, h.v3)
	h.v0 ^= m
}

// end returns the hash of what was taken in and rest, which is less than a block; n is
// how long all of it is. It leaves h as it was.
func (h sip) end(rest string, n int) uint64 {
	m := uint64(n) << 56
	for i := range len(rest) {
		m |= uint64(rest[i]) << (8 * i)
	}
	h.block(m)
	h.v2 ^= 0xff
	for range 3 {
		h.v0, h.v1, h.v2, h.v3 = sipround(h.v0, h.v1, h.v2, h.v3)
	}
	return h.v0 ^ h.v1 ^ h.v2 ^ h.v3
}

// hashPrefixes calls yield with the length and the hash of each prefix of s that ends
// with c, shortest first, until yield returns false. All of them together cost one pass
// over s.
func hashPrefixes(key [2]uint64, tag uint64, s string, c byte, yield func(n int, hash uint64) bool) {
	h, n := newSIP(key, tag), 0
	for i := range len(s) {
		if i-n == 8 {
			h.block(word(s[n:]))
			n = i
		}
		if s[i] != c {
			continue
		}
		if i+1-n == 8 {
			h.block(word(s[n:]))
			n = i + 1
		}
		if !yield(i+1, h.end(s[n:i+1], i+1)) {
			return
		}
	}
}

// sipround mixes the four words. It takes and returns them by value, which keeps them in
// registers.
func sipround(v0, v1, v2, v3 uint64) (a, b, c, d uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}
