// Package seal protects state that a server sends to a client for later against forgery: the
// requestState of a result with questions. It passes through the client, which may keep it, change it,
// or send it with another request (multi round-trip requests page; MRTR-015).
//
// # Loop
//
// A server seals the state that it sends, and opens the state that comes back:
//
//	ring, err := seal.NewRing(newKey, oldKey)
//	text := ring.Seal(state, seal.Purpose{Principal: user, Method: method, Params: params}, now.Add(time.Hour))
//	…
//	state, err := ring.Open(text, seal.Purpose{Principal: user, Method: method, Params: params}, now)
//
// server.Config.StateKeys does so for the functions of server.Handlers.
//
// # Contract
//
//   - Sealed state opens for the same purpose, with each Ring that has its key, until it expires.
//     All other text fails with the same error.
//   - A seal does not encrypt: the client can read the state. It does not prevent replay: the
//     application must detect repeated use.
//
// # Not promised
//
// The format of the text.
package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"
)

// MinKey is the shortest key, in bytes.
const MinKey = 32

// Ring has the keys of all servers of the same clients. The first one seals, each opens: to rotate,
// put a new key first, and remove the old one once its state has expired (MRTR-018, MRTR-019). The
// zero Ring has none.
type Ring struct{ keys [][]byte }

// ErrKey says that a key is too short.
var ErrKey = errors.New("seal: a key is shorter than 32 bytes")

// ErrInvalid is the only error of Open (SEC-202).
var ErrInvalid = errors.New("seal: the state is not valid for this request")

// NewRing returns a Ring of the keys, which it copies. The error is ErrKey.
func NewRing(keys ...[]byte) (Ring, error) {
	var r Ring
	for _, key := range keys {
		if len(key) < MinKey {
			return Ring{}, ErrKey
		}
		r.keys = append(r.keys, append([]byte(nil), key...))
	}
	return r, nil
}

// IsZero reports whether the Ring has no key.
func (r Ring) IsZero() bool { return len(r.keys) == 0 }

// Purpose is what a state is valid for. It is not in the sealed text (MRTR-017).
type Purpose struct {
	Principal string // the principal of the request (SEC-204); "" if unknown
	Method    string // the method of the request
	Params    string // the part of its params that must be the same
}

// overhead is the expiry and the sum.
const overhead = 8 + sha256.Size

// Seal returns the state as text that Open accepts for the same purpose until it expires; with the zero
// time it never does. Times are cut to seconds. A Ring without keys returns the state unchanged.
func (r Ring) Seal(state string, of Purpose, expires time.Time) string {
	if r.IsZero() {
		return state
	}
	at := int64(math.MaxInt64)
	if !expires.IsZero() {
		at = expires.Unix()
	}
	raw := make([]byte, 8, overhead+len(state))
	binary.BigEndian.PutUint64(raw, uint64(at))
	raw = append(raw, state...)
	return base64.RawURLEncoding.EncodeToString(sum(r.keys[0], of, raw))
}

// Open returns the state of a sealed text. A Ring without keys returns the text unchanged. The error
// is ErrInvalid.
func (r Ring) Open(text string, of Purpose, now time.Time) (state string, err error) {
	if r.IsZero() {
		return text, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < overhead {
		return "", ErrInvalid
	}
	body := raw[:len(raw)-sha256.Size]
	for _, key := range r.keys {
		if hmac.Equal(sum(key, of, slices.Clip(body)), raw) {
			if now.Unix() >= int64(binary.BigEndian.Uint64(body)) {
				return "", ErrInvalid
			}
			return string(body[8:]), nil
		}
	}
	return "", ErrInvalid
}

// sum appends the sum of a body, for the purpose, to it.
func sum(key []byte, of Purpose, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range [...]string{"sansmcp state 1", of.Principal, of.Method, of.Params} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part))) // so that no two purposes are one text
		h.Write(size[:])
		h.Write([]byte(part))
	}
	h.Write(body)
	return h.Sum(body)
}
