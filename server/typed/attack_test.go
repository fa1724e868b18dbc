package typed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/typed"
)

// A word of a tag may narrow what a type says, and not widen it: what the schema accepts is read.
func TestWordsDoNotWiden(t *testing.T) {
	refused := map[string]func() error{
		"int8 max": codecOf[struct {
			A int8 `schema:"max=300"`
		}],
		"int8 min": codecOf[struct {
			A *int8 `schema:"min=-128.5"`
		}],
		"uint min": codecOf[struct {
			A uint `schema:"min=-1"`
		}],
		"uint64 max": codecOf[struct {
			A uint64 `schema:"max=1e20"`
		}],
		"items": codecOf[struct {
			A []int8 `schema:"items.max=256"`
		}],
		"array": codecOf[struct {
			A [3]int `schema:"minItems=1"`
		}],
		"twice": codecOf[struct {
			A int `schema:"min=1,min=2"`
		}],
		"embedded": codecOf[struct {
			inner `json:"inner"`
			B     int
		}],
	}
	for name, f := range refused {
		if f() == nil {
			t.Error(name)
		}
	}
	if err := codecOf[struct {
		A int8            `schema:"min=-128,max=127"`
		B uint16          `schema:"min=0.5,max=65535"`
		C float32         `schema:"max=1e300"`
		D int64           `schema:"min=-9223372036854775808"`
		E []int           `schema:"minItems=1"`
		F map[string]int8 `schema:"items.min=1"`
	}](); err != nil {
		t.Error(err)
	}
}

func codecOf[T any]() error {
	_, err := typed.NewCodec[T]()
	return err
}

// Offsets are those of RFC 3339, which has no seconds in them and no day of 25 hours.
func TestOffsetsOfTimes(t *testing.T) {
	c, err := typed.NewCodec[time.Time]()
	if err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		"2026-01-01T00:00:00+23:59": true, "2026-01-01T00:00:00.5-00:00": true, "2026-01-01T00:00:00Z": true,
		"2026-01-01T00:00:00+24:00": false, "2026-01-01T00:00:00.25+12:60": false, "2026-01-01T00:00:00-99:99": false,
	} {
		if _, err := c.Decode(jsonrpc.Raw(`"` + text + `"`)); (err == nil) != ok {
			t.Error(text, err)
		}
	}
	at := time.Date(1890, 1, 1, 0, 0, 0, 0, time.FixedZone("", 9*60+21))
	raw, err := c.Encode(at)
	if back, _ := c.Decode(raw); err != nil || !back.Equal(at) {
		t.Error(raw, err)
	}
	if raw, err := c.Encode(at.In(time.FixedZone("", 24*60*60))); err == nil {
		t.Error(raw)
	}
}

// What defaults make counts against the room for a message, as what is in it does.
func TestDefaultsTakeRoom(t *testing.T) {
	type item struct {
		D []int64 `json:"d" schema:"default='[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]'"`
	}
	c, err := typed.NewCodec[[]item]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Decode(`[{},{"d":[]}]`)
	if err != nil || len(v) != 2 || len(v[0].D) != 20 || len(v[1].D) != 0 {
		t.Error(v, err)
	}
	v, err = c.Decode(jsonrpc.Raw("[" + strings.Repeat("{},", 300_000) + "{}]"))
	if err == nil || len(v) > 290_000 {
		t.Error(len(v), err)
	}
}
