package exec_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exec"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Each setting with a value that it cannot have: the error names it, the value, and what it may be.
func TestSettings(t *testing.T) {
	for want, c := range map[string]exec.Config{
		"exec: Running is -1: want positive, or 0 for no limit":                       {Running: -1},
		"exec: Queue is -2: want positive, or 0 for 1024":                             {Queue: -2},
		"exec: Policy.Attempt is -7ns: want positive, or 0 for no limit":              {Policy: exec.Policy{Attempt: -7}},
		"exec: Policy.Total is -2s: want positive, or 0 for no limit":                 {Policy: exec.Policy{Total: -2 * time.Second}},
		"exec: Policy.Retry is ":                                                      {Policy: exec.Policy{Retry: backoff.Policy{Attempts: -1}}},
		"exec: Policy.Kinds is 0x80: want kinds within ":                              {Policy: exec.Policy{Kinds: exec.KindsOf(toolerror.Cancelled)}},
		"exec: Limits.Blocks is -1: want positive, or 0 for 1000":                     {Limits: exec.Limits{Blocks: -1}},
		"exec: Limits.BlockBytes is -1: want positive, or 0 for 8388608":              {Limits: exec.Limits{BlockBytes: -1}},
		"exec: Limits.Bytes is -1: want positive, or 0 for 16777216":                  {Limits: exec.Limits{Bytes: -1}},
		"exec: Limits.Depth is -1: want positive, or 0 for 128":                       {Limits: exec.Limits{Depth: -1}},
		"exec: Lane.Running is -1: want positive, or 0 for no limit":                  {Lane: exec.Lane{Running: -1}},
		"exec: Lane.Queue is -1: want positive, or 0 for no limit":                    {Lane: exec.Lane{Queue: -1}},
		"exec: Lanes[1].Queue is -1: want positive, or 0 for no limit":                {Lanes: []exec.Lane{{Name: "a"}, {Name: "b", Queue: -1}}},
		`exec: Lanes is "a" twice: want each name once`:                               {Lanes: []exec.Lane{{Name: "a"}, {Name: "a"}}},
		"exec: Lane.Rate.Tokens is 0: want positive, or the zero Rate for no limit":   {Lane: exec.Lane{Rate: exec.Rate{Burst: 1}}},
		"exec: Lane.Rate.Per is -1ns: want positive, or 0 for 1s":                     {Lane: exec.Lane{Rate: exec.Rate{Tokens: 1, Per: -1}}},
		"exec: Lane.Rate.Burst is -1: want positive, or 0 for 1":                      {Lane: exec.Lane{Rate: exec.Rate{Tokens: 1, Burst: -1}}},
		"exec: Lane.Rate.Burst is 9223372036854775807: want at most 9223372036 in 1s": {Lane: exec.Lane{Rate: exec.Rate{Tokens: 1, Burst: math.MaxInt}}},
	} {
		_, err := exec.New(c, start)
		var e *lifecycle.ConfigError
		if !errors.As(err, &e) || !errors.Is(err, lifecycle.ErrConfig) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	x, err := exec.New(exec.Config{Policy: exec.Policy{Attempt: lifecycle.NoTimeout, Total: lifecycle.NoTimeout}}, start)
	if err != nil {
		t.Fatal(err)
	}
	for want, opt := range map[string]exec.BatchOptions{
		"exec: BatchOptions.Strategy is -2: want positive, Sequential or Parallel":  {Strategy: -2},
		"exec: BatchOptions.Cancel is 2: want 0 to 1":                               {Cancel: exec.Immediate + 1},
		"exec: BatchOptions.Grace is -2ns: want positive, 0 for 5s, or NoTimeout":   {Grace: -2},
		"exec: BatchOptions.Policy.Total is -2ns: want positive, or 0 for no limit": {Policy: &exec.Policy{Total: -2}},
	} {
		if _, _, err := x.Start(start, nil, opt); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if _, _, err := x.Start(start, nil, exec.BatchOptions{Grace: lifecycle.NoTimeout}); err != nil {
		t.Error(err)
	}
}
