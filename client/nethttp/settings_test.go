package nethttp

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Each setting: zero is the default, and one wrong value each is refused with its name, value and range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]Options{
		"Exchange.MaxBytes is -1: want positive, or 0 for 16777216": {Exchange: exchange.Options{MaxBytes: -1}},
		"HeaderTimeout is -1ns: want positive, or 0 for 30s":        {HeaderTimeout: lifecycle.NoTimeout},
		"Idle is -2s: want positive, 0 for 5m0s, or NoTimeout":      {Idle: -2 * time.Second},
		"MaxPosts is -1: want positive, or 0 for 32":                {MaxPosts: -1},
	} {
		if tr, err := New("http://localhost", o); tr != nil || !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "nethttp: "+want {
			t.Errorf("%v, want nethttp: %s", err, want)
		}
	}
	o, err := Options{Idle: lifecycle.NoTimeout}.filled()
	if err != nil || o.Idle != lifecycle.NoTimeout || o.HeaderTimeout != DefaultHeaderTimeout || o.MaxPosts != DefaultMaxPosts ||
		o.Exchange != (exchange.Options{MaxBytes: jsonrpc.DefaultMaxBytes, Logins: DefaultLogins}) || o.Log == nil {
		t.Errorf("%+v, %v", o, err)
	}
}
