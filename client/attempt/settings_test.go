package attempt_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Each setting with a value that it cannot have: the error names it, the value, and what it may be.
func TestSettings(t *testing.T) {
	for want, c := range map[string]attempt.Config{
		"attempt: Running is -1: want positive, or 0 for no limit":                       {Running: -1},
		"attempt: Queue is -2: want positive, or 0 for 1024":                             {Queue: -2},
		"attempt: Policy.Attempt is -7ns: want positive, or 0 for no limit":              {Policy: attempt.Policy{Attempt: -7}},
		"attempt: Policy.Total is -2s: want positive, or 0 for no limit":                 {Policy: attempt.Policy{Total: -2 * time.Second}},
		"attempt: Policy.Retry is ":                                                      {Policy: attempt.Policy{Retry: backoff.Policy{Attempts: -1}}},
		"attempt: Policy.Kinds is 0x80: want kinds within ":                              {Policy: attempt.Policy{Kinds: attempt.KindsOf(toolerror.Cancelled)}},
		"attempt: Limits.Blocks is -1: want positive, or 0 for 1000":                     {Limits: attempt.Limits{Blocks: -1}},
		"attempt: Limits.BlockBytes is -1: want positive, or 0 for 8388608":              {Limits: attempt.Limits{BlockBytes: -1}},
		"attempt: Limits.Bytes is -1: want positive, or 0 for 16777216":                  {Limits: attempt.Limits{Bytes: -1}},
		"attempt: Limits.Depth is -1: want positive, or 0 for 128":                       {Limits: attempt.Limits{Depth: -1}},
		"attempt: Lane.Running is -1: want positive, or 0 for no limit":                  {Lane: attempt.Lane{Running: -1}},
		"attempt: Lane.Queue is -1: want positive, or 0 for no limit":                    {Lane: attempt.Lane{Queue: -1}},
		"attempt: Lanes[1].Queue is -1: want positive, or 0 for no limit":                {Lanes: []attempt.Lane{{Name: "a"}, {Name: "b", Queue: -1}}},
		`attempt: Lanes is "a" twice: want each name once`:                               {Lanes: []attempt.Lane{{Name: "a"}, {Name: "a"}}},
		"attempt: Lane.Rate.Tokens is 0: want positive, or the zero Rate for no limit":   {Lane: attempt.Lane{Rate: attempt.Rate{Burst: 1}}},
		"attempt: Lane.Rate.Per is -1ns: want positive, or 0 for 1s":                     {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Per: -1}}},
		"attempt: Lane.Rate.Burst is -1: want positive, or 0 for 1":                      {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Burst: -1}}},
		"attempt: Lane.Rate.Burst is 9223372036854775807: want at most 9223372036 in 1s": {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Burst: math.MaxInt}}},
	} {
		_, err := attempt.New(c, start)
		var e *lifecycle.ConfigError
		if !errors.As(err, &e) || !errors.Is(err, lifecycle.ErrConfig) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	x, err := attempt.New(attempt.Config{Policy: attempt.Policy{Attempt: lifecycle.NoTimeout, Total: lifecycle.NoTimeout}}, start)
	if err != nil {
		t.Fatal(err)
	}
	for want, opt := range map[string]attempt.BatchOptions{
		"attempt: BatchOptions.Strategy is -2: want positive, Sequential or Parallel":  {Strategy: -2},
		"attempt: BatchOptions.Cancel is 2: want 0 to 1":                               {Cancel: attempt.Immediate + 1},
		"attempt: BatchOptions.Grace is -2ns: want positive, 0 for 5s, or NoTimeout":   {Grace: -2},
		"attempt: BatchOptions.Policy.Total is -2ns: want positive, or 0 for no limit": {Policy: &attempt.Policy{Total: -2}},
	} {
		if _, _, err := x.Start(start, nil, opt); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, _, err := x.Start(start, nil, attempt.BatchOptions{Grace: lifecycle.NoTimeout}); err != nil {
		t.Error(err)
	}
}
