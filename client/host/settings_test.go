package host

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Each setting: zero is the default, and one wrong value each is named with its value and its range.
func TestSettings(t *testing.T) {
	for want, o := range map[string]Options{
		"MaxServing is -1: want positive, or 0 for 16":                 {MaxServing: -1},
		"MaxServingBytes is -1: want positive, or 0 for 16777216":      {MaxServingBytes: -1},
		"MaxEvents is -1: want positive, or 0 for 1000":                {MaxEvents: -1},
		"MaxEventBytes is -1: want positive, or 0 for 1048576":         {MaxEventBytes: -1},
		"VisitWait is -1ns: want positive, or 0 for 1m0s":              {VisitWait: lifecycle.NoTimeout},
		"QueueBytes is -1: want positive, or 0 for 1048576":            {QueueBytes: -1},
		"SendTimeout is -2ns: want positive, 0 for 1m0s, or NoTimeout": {SendTimeout: -2},
		"Grace is -1ns: want positive, or 0 for none":                  {Grace: -1},
		"Reopen is -2: want positive, 0 for 5, or -1 for none":         {Reopen: -2},
	} {
		if _, err := o.filled(); !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "host: "+want {
			t.Errorf("%v, want host: %s", err, want)
		}
	}
	if o, err := (Options{SendTimeout: lifecycle.NoTimeout, Reopen: -1}).filled(); err != nil || o.SendTimeout != lifecycle.NoTimeout || o.Reopen != -1 || o.MaxServing != DefaultMaxServing {
		t.Errorf("%+v, %v", o, err)
	}
}

// New refuses what nothing answers, and a Client without a way to a server.
func TestNewRefuses(t *testing.T) {
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"x/own"}}
	if _, err := New(cfg, nil, Options{}); !errors.Is(err, ErrTransport) {
		t.Errorf("without a transport: %v", err)
	}
	if _, err := New(cfg, mute{}, Options{MaxServing: -1}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Errorf("a wrong option: %v", err)
	}
	c, err := New(cfg, mute{}, Options{})
	if err != nil { // x/own may be a notification
		t.Fatalf("a method of its own: %v", err)
	}
	_ = c.Close(t.Context())
	cfg.Serve = []string{"x/own", "elicitation/create"}
	if _, err := New(cfg, mute{}, Options{}); !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), "elicitation/create") {
		t.Errorf("a question that nothing answers: %v", err)
	}
}

// mute is a Transport that has ended.
type mute struct{ links.Transport }

func (mute) Receive(context.Context) (links.Arrival, error) { return links.Arrival{}, io.EOF }
func (mute) Close(context.Context) error                    { return nil }
