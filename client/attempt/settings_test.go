package attempt_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Each setting with a value that it cannot have: the error names it, the value, and what it may be.
func TestSettings(t *testing.T) {
	check := func(c attempt.Config) error {
		_, err := attempt.New(c, start)
		return err
	}
	settings.Test(t, "attempt", attempt.Config{}, check, settings.Wants{
		"Running": "positive, or 0 for no limit", "Queue": "positive, or 0 for 1024", "Policy.Attempt": "positive, or 0 for no limit", "Policy.Total": "positive, or 0 for no limit",
		"Policy.Retry.Base": "positive, 0 for 1s, or Immediate", "Policy.Retry.Cap": "positive, or 0 for 30s", "Policy.Retry.Attempts": "positive, or 0 for no limit",
		"Limits.Blocks": "positive, or 0 for 1000", "Limits.BlockBytes": "positive, or 0 for 8388608", "Limits.Bytes": "positive, or 0 for 16777216",
		"Limits.Depth": "positive, or 0 for 128", "Lane.Running": "positive, or 0 for no limit", "Lane.Queue": "positive, or 0 for no limit",
		"Lane.Rate.Tokens": "", "Lane.Rate.Per": "", "Lane.Rate.Burst": "",
	})
	for want, c := range map[string]attempt.Config{
		"attempt: Policy.Kinds is 0x80: want kinds within ":                            {Policy: attempt.Policy{Kinds: attempt.KindsOf(toolerror.Cancelled)}},
		"attempt: Lanes[1].Queue is -1: want positive, or 0 for no limit":              {Lanes: []attempt.Lane{{Name: "a"}, {Name: "b", Queue: -1}}},
		`attempt: Lanes is "a" twice: want each name once`:                             {Lanes: []attempt.Lane{{Name: "a"}, {Name: "a"}}},
		"attempt: Lane.Rate.Tokens is 0: want positive, or the zero Rate for no limit": {Lane: attempt.Lane{Rate: attempt.Rate{Burst: 1}}},
		"attempt: Lane.Rate.Per is -1ns: want positive, or 0 for 1s":                   {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Per: -1}}},
		"attempt: Lane.Rate.Burst is -1: want positive, or 0 for 1":                    {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Burst: -1}}},
		"attempt: Lane.Rate.Burst is 2147483647: want at most 1844674407 in 5s":        {Lane: attempt.Lane{Rate: attempt.Rate{Tokens: 1, Per: 5 * time.Second, Burst: math.MaxInt32}}},
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
		"attempt: BatchOptions.Strategy is -2: want 0 or more, or Parallel":            {Strategy: -2},
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
	// The zero Executor has the zero Config.
	zero, out, err := attempt.Executor{}.Call(start, attempt.Request{Tool: "t"})
	if err != nil {
		t.Fatal(err)
	}
	_, out = zero.Finish(start, out.Start[0].Attempt, attempt.Outcome{Result: &protocol.CallToolResult{Content: slices.Repeat([]protocol.Content{protocol.TextContent("x")}, 1001)}})
	if out.Done[0].Outcome.Err == nil {
		t.Error("a result of 1001 blocks is taken")
	}
}
