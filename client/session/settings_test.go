package session_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

func TestSettings(t *testing.T) {
	check := func(o session.Options) error {
		c, err := session.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, mute{}, o)
		if err == nil {
			_ = c.Close(t.Context())
		}
		return err
	}
	settings.Test(t, "session", session.Options{}, check, settings.Wants{
		"MaxServing": "positive, or 0 for 16", "MaxServingBytes": "positive, or 0 for 16777216", "MaxEvents": "positive, or 0 for 1000",
		"MaxEventBytes": "positive, or 0 for 1048576", "VisitWait": "positive, or 0 for 1m0s", "QueueBytes": "positive, or 0 for 1048576",
		"SendTimeout": "positive, 0 for 1m0s, or NoTimeout", "Grace": "positive, or 0 for none", "Reopen": "positive, 0 for 5, or -1 for none",
	})
}

// New refuses what nothing answers, and a Client without a way to a server.
func TestNewRefuses(t *testing.T) {
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"x/own"}}
	if _, err := session.New(cfg, nil, session.Options{}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Errorf("without a transport: %v", err)
	}
	if _, err := session.New(cfg, mute{}, session.Options{MaxServing: -1}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Errorf("a wrong option: %v", err)
	}
	c, err := session.New(cfg, mute{}, session.Options{})
	if err != nil { // x/own may be a notification
		t.Fatalf("a method of its own: %v", err)
	}
	_ = c.Close(t.Context())
	cfg.Serve = []string{"x/own", "elicitation/create"}
	if _, err := session.New(cfg, mute{}, session.Options{}); !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), "elicitation/create") {
		t.Errorf("a question that nothing answers: %v", err)
	}
}

// mute is a Transport that has ended.
type mute struct{ links.Transport }

func (mute) Receive(context.Context) (links.Arrival, error) { return links.Arrival{}, io.EOF }
func (mute) Close(context.Context) error                    { return nil }
