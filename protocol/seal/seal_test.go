package seal_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol/seal"
)

var (
	began   = time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)
	one     = []byte(strings.Repeat("1", seal.MinKey))
	two     = []byte(strings.Repeat("2", seal.MinKey))
	purpose = seal.Purpose{Principal: "alice", Method: "tools/call", Params: "pay"}
)

func ring(t *testing.T, keys ...[]byte) seal.Ring {
	t.Helper()
	r, err := seal.NewRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What was sealed opens for its purpose, until it expires, with any key of the ring.
//
// rows: MRTR-015 MRTR-016 MRTR-017 MRTR-018 MRTR-019 SEC-202 SEC-204
// revisions: 2026-07-28
func TestOpen(t *testing.T) {
	old := ring(t, one)
	text := old.Seal("state", purpose, began.Add(time.Minute))
	for name, r := range map[string]seal.Ring{"the same": old, "a new key in front": ring(t, two, one)} {
		if got, err := r.Open(text, purpose, began.Add(59*time.Second)); got != "state" || err != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	for name, open := range map[string]func() (string, error){
		"expired":     func() (string, error) { return old.Open(text, purpose, began.Add(time.Minute)) },
		"another key": func() (string, error) { return ring(t, two).Open(text, purpose, began) },
		"another principal": func() (string, error) {
			return old.Open(text, seal.Purpose{Method: "tools/call", Params: "pay"}, began)
		},
		"another method": func() (string, error) { return old.Open(text, seal.Purpose{Principal: "alice", Params: "pay"}, began) },
		"other params": func() (string, error) {
			return old.Open(text, seal.Purpose{Principal: "alice", Method: "tools/call", Params: "pay "}, began)
		},
		"shifted": func() (string, error) {
			return old.Open(text, seal.Purpose{Principal: "alicet", Method: "ools/call", Params: "pay"}, began)
		},
		"a principal as long": func() (string, error) {
			return old.Open(text, seal.Purpose{Principal: "carol", Method: "tools/call", Params: "pay"}, began)
		},
		"a method as long": func() (string, error) {
			return old.Open(text, seal.Purpose{Principal: "alice", Method: "tools/cull", Params: "pay"}, began)
		},
		"params as long": func() (string, error) {
			return old.Open(text, seal.Purpose{Principal: "alice", Method: "tools/call", Params: "buy"}, began)
		},
		"nothing": func() (string, error) { return old.Open("", purpose, began) },
		"no text": func() (string, error) { return old.Open("*", purpose, began) },
		"padded":  func() (string, error) { return old.Open(text+"=", purpose, began) },
		"longer":  func() (string, error) { return old.Open(text+"AAAA", purpose, began) },
	} {
		if got, err := open(); got != "" || !errors.Is(err, seal.ErrInvalid) {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(raw) { // one bit changed
		changed := slices.Clone(raw)
		changed[i/8] ^= 1 << (i % 8)
		if got, err := old.Open(base64.RawURLEncoding.EncodeToString(changed), purpose, began); err == nil {
			t.Errorf("bit %d: it opens as %q", i, got)
		}
	}
}

// A state of no bytes is one, and one that is sealed with the zero time opens at any. Nothing that is
// shorter than what a seal adds opens.
func TestEdges(t *testing.T) {
	r := ring(t, one)
	if got, err := r.Open(r.Seal("", purpose, began.Add(time.Second)), purpose, began); got != "" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	for _, now := range []time.Time{{}, began, began.AddDate(1000, 0, 0)} {
		if got, err := r.Open(r.Seal("s", purpose, time.Time{}), purpose, now); got != "s" || err != nil {
			t.Errorf("at %v: %q %v", now, got, err)
		}
	}
}

// A key has MinKey bytes, and a ring without keys seals nothing.
func TestKeys(t *testing.T) {
	if _, err := seal.NewRing(one, one[1:]); !errors.Is(err, seal.ErrKey) {
		t.Error(err)
	}
	var none seal.Ring
	if got, err := none.Open(none.Seal("s", purpose, began), purpose, began.Add(time.Hour)); got != "s" || err != nil || !none.IsZero() {
		t.Error(got, err)
	}
	mine := append([]byte(nil), one...)
	r := ring(t, mine)
	text := r.Seal("s", purpose, began.Add(1))
	mine[0] = 'x'
	if r.Seal("s", purpose, began.Add(1)) != text {
		t.Error("the ring shares the key")
	}
}

func ExampleRing() {
	r, _ := seal.NewRing([]byte("a key of 32 bytes from a file ..."))
	of := seal.Purpose{Principal: "alice", Method: "tools/call", Params: "delete note 7"}
	text := r.Seal("asked once", of, began.Add(10*time.Minute))
	fmt.Println(r.Open(text, of, began))
	of.Principal = "mallory"
	fmt.Println(r.Open(text, of, began))
	// Output:
	// asked once <nil>
	//  seal: the state is not valid for this request
}
