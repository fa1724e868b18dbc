package engine_test

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
)

// siphash is SipHash-c-d as its paper describes it, with a tag xored into v3 at the start.
func siphash(c, d int, k0, k1, tag uint64, in []byte) uint64 {
	v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573 ^ tag}
	rounds := func(n int) {
		for range n {
			v[0] += v[1]
			v[2] += v[3]
			v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
			v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
			v[0] = bits.RotateLeft64(v[0], 32)
			v[2] += v[1]
			v[0] += v[3]
			v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
			v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
			v[2] = bits.RotateLeft64(v[2], 32)
		}
	}
	padded := append([]byte(nil), in...)
	for len(padded)%8 != 7 {
		padded = append(padded, 0)
	}
	padded = append(padded, byte(len(in)))
	for ; len(padded) > 0; padded = padded[8:] {
		m := binary.LittleEndian.Uint64(padded)
		v[3] ^= m
		rounds(c)
		v[0] ^= m
	}
	v[2] ^= 0xff
	rounds(d)
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}

func TestHash(t *testing.T) {
	// The vectors of the paper's appendix are for 2-4 and hold the twin to account.
	const k0, k1 = 0x0706050403020100, 0x0f0e0d0c0b0a0908
	text := make([]byte, 15)
	for i := range text {
		text[i] = byte(i)
	}
	if got := siphash(2, 4, k0, k1, 0, text); got != 0xa129ca6149be45e5 {
		t.Fatalf("the twin says %#x", got)
	}
	if got := siphash(2, 4, k0, k1, 0, nil); got != 0x726fdb47dd0e0e31 {
		t.Fatalf("the twin says %#x for nothing", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		key := [2]uint64{rapid.Uint64().Draw(t, "k0"), rapid.Uint64().Draw(t, "k1")}
		tag := rapid.Uint64().Draw(t, "tag")
		in := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "in")
		if got, want := engine.Hash(key, tag, string(in)), siphash(1, 3, key[0], key[1], tag, in); got != want {
			t.Fatalf("Hash = %#x, want %#x", got, want)
		}
	})
}

// Ids of the peer have keys by value and JSON type, whatever their spelling, and integers
// that are not negative are their own key, so that nobody can make them collide.
func TestKey(t *testing.T) {
	env := engine.Env{Hash: [2]uint64{1, 2}}
	for _, raw := range []string{"0", "1", "9223372036854775807"} {
		id, _, _ := jsonrpc.ParseID(raw)
		if n, _ := id.Int64(); env.Key(id) != uint64(n) {
			t.Errorf("the key of %s is %d", raw, env.Key(id))
		}
	}
	seen := map[uint64]string{}
	for _, raw := range []string{
		"0", "1", "-1", `"1"`, `"-1"`, `""`, "9223372036854775808", `"9223372036854775808"`, "-9223372036854775808", "1e30", `"1e30"`, "1e31", `"a"`,
		`"` + strings.Repeat("a", 100) + `"`,
	} {
		id, _, ok := jsonrpc.ParseID(raw)
		if !ok {
			t.Fatal(raw)
		}
		key := env.Key(id)
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s have one key", raw, other)
		}
		seen[key] = raw
	}
	for _, pair := range [][2]string{{"1", "10e-1"}, {"100", "1e2"}, {`"a"`, `"\u0061"`}, {"1e30", "10e29"}, {"0", "-0"}} {
		a, _, _ := jsonrpc.ParseID(pair[0])
		b, _, _ := jsonrpc.ParseID(pair[1])
		if env.Key(a) != env.Key(b) {
			t.Errorf("%s and %s have different keys", pair[0], pair[1])
		}
	}
	another := engine.Env{Hash: [2]uint64{1, 3}}
	if id := jsonrpc.String("a"); env.Key(id) == another.Key(id) {
		t.Error("the key of a string does not depend on the key of the Config")
	}
}
