package lifecycle_test

import (
	"math"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// Zero fields mean the defaults; negative ones and impossible rates are refused.
func TestFilled(t *testing.T) {
	timeouts, err := lifecycle.Timeouts{}.Filled()
	want := lifecycle.Timeouts{
		Initialize: 5 * time.Minute, Ping: 10 * time.Second, Probe: 5 * time.Second, Request: time.Minute, Human: 10 * time.Minute, Maximum: time.Hour,
		Inbound: lifecycle.NoTimeout,
	}
	if err != nil || timeouts != want {
		t.Errorf("%+v, want %+v: %v", timeouts, want, err)
	}
	limits, err := lifecycle.Limits{}.Filled()
	if want := (lifecycle.Limits{Inbound: 1000, Outbound: 10_000, Batch: 100, Subscriptions: 1000, Text: 4096, Schema: 65_536}); err != nil || limits != want {
		t.Errorf("%+v, want %+v: %v", limits, want, err)
	}
	set := lifecycle.Timeouts{Initialize: 1, Ping: 2, Probe: 7, Request: 3, Human: 4, Maximum: 5, Inbound: 6}
	if got, err := set.Filled(); err != nil || got != set {
		t.Errorf("%+v became %+v: %v", set, got, err)
	}
	for _, bad := range []lifecycle.Timeouts{{Initialize: -2}, {Ping: -2}, {Probe: -2}, {Request: -2}, {Human: -2}, {Maximum: -2}, {Inbound: -2}} {
		if got, err := bad.Filled(); err == nil {
			t.Errorf("%+v became %+v", bad, got)
		}
	}
	for _, good := range []lifecycle.Limits{
		{Inbound: 1, Outbound: 1, Batch: 1, Subscriptions: 1, Text: 1, Schema: 1, Requests: lifecycle.Rate{PerSecond: 1e9, Burst: 1}},
	} {
		if got, err := good.Filled(); err != nil || got != good {
			t.Errorf("%+v became %+v: %v", good, got, err)
		}
	}
	for _, bad := range []lifecycle.Limits{
		{Inbound: -1}, {Outbound: -1}, {Batch: -1}, {Subscriptions: -1}, {Text: -1}, {Schema: -1},
		{Requests: lifecycle.Rate{PerSecond: -1}}, {Progress: lifecycle.Rate{PerSecond: math.NaN()}}, {Logs: lifecycle.Rate{PerSecond: 1e10}},
		{Requests: lifecycle.Rate{Burst: -1}},
	} {
		if got, err := bad.Filled(); err == nil {
			t.Errorf("%+v became %+v", bad, got)
		}
	}
	filled, _ := lifecycle.Timeouts{Ping: time.Second}.Filled()
	endless := filled
	endless.Ping = lifecycle.NoTimeout
	for interval, good := range map[time.Duration]bool{-1: true, 0: true, 1: false, time.Hour: false} {
		if err := (lifecycle.Keepalive{Interval: interval}).Check(endless); (err == nil) != good {
			t.Errorf("every %v, with pings that never time out: %v", interval, err)
		}
	}
	for _, k := range []lifecycle.Keepalive{{}, {Interval: 1}, {Interval: 1, Misses: 1 << 15}, {Interval: -1}} {
		if err := k.Check(filled); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
	}
	if k := (lifecycle.Keepalive{Misses: 1<<15 + 1}); k.Check(filled) == nil {
		t.Errorf("%+v is possible", k)
	}
}
