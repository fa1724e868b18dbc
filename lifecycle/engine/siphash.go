package engine

import "math/bits"

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
	v0, v1 := key[0]^0x736f6d6570736575, key[1]^0x646f72616e646f6d
	v2, v3 := key[0]^0x6c7967656e657261, key[1]^0x7465646279746573^tag
	end := uint64(len(s)) << 56
	for ; len(s) >= 8; s = s[8:] {
		m := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		v3 ^= m
		v0, v1, v2, v3 = sipround(v0, v1, v2, v3)
		v0 ^= m
	}
	for i := range len(s) {
		end |= uint64(s[i]) << (8 * i)
	}
	v3 ^= end
	v0, v1, v2, v3 = sipround(v0, v1, v2, v3)
	v0 ^= end
	v2 ^= 0xff
	for range 3 {
		v0, v1, v2, v3 = sipround(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}

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
