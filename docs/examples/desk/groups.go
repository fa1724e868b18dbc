package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// group returns a group that an agent may have, for itself or, without one, for all.
func (d *desk) group(session, name string) (*registry.Group, error) {
	def := registry.Definition{Name: name, Timeout: 10 * time.Second}
	switch name {
	case "clock":
		now := func(context.Context, *schema.Arguments) (string, error) { return time.Now().Format(time.RFC3339), nil }
		return define(def, tool{"now", "Returns the time of day.", "", now})
	case "notes":
		n := notes{d, session}
		return define(def,
			tool{"read", "Returns the note.", "", n.read},
			tool{"write", "Replaces the note.", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, n.write})
	case "slow":
		def.Timeout = time.Second
		return define(def, tool{"wait", "Waits until it is told to stop.", "", wait})
	}
	return nil, fmt.Errorf("no such group: %q", name)
}

// tool is a tool whose result is a text.
type tool struct {
	name, description string
	input             protocol.Raw
	f                 func(context.Context, *schema.Arguments) (string, error)
}

func define(d registry.Definition, tools ...tool) (*registry.Group, error) {
	for _, t := range tools {
		made, err := registry.NewTool(protocol.Tool{Name: t.name, Description: t.description, InputSchema: t.input}, func(ctx context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			text, err := t.f(ctx, schema.ReadArguments(p.Arguments))
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(text), nil
		})
		if err != nil {
			return nil, err
		}
		d.Tools = append(d.Tools, made)
	}
	return registry.NewGroup(d)
}

func wait(ctx context.Context, _ *schema.Arguments) (string, error) {
	<-ctx.Done()
	return "", context.Cause(ctx)
}

// notes is the note of an agent, in a file of its name.
type notes struct {
	d       *desk
	session string
}

func (n notes) file() string { return n.session + ".txt" }

func (n notes) read(context.Context, *schema.Arguments) (string, error) {
	b, err := n.d.folder.ReadFile(n.file())
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there is no note")
	}
	return string(b), n.broken(err)
}

func (n notes) write(_ context.Context, a *schema.Arguments) (string, error) {
	text := a.String("text")
	if err := a.Err(); err != nil {
		return "", err
	}
	return "written", n.broken(n.d.folder.WriteFile(n.file(), []byte(text), 0o600))
}

// broken makes the group fail: it is not offered until it is reconnected.
func (n notes) broken(err error) error {
	if err == nil {
		return nil
	}
	go n.d.fail(n.session, "notes", err) // which ends this call
	return errors.New("the notes cannot be reached")
}

// fail marks a group as failed, if it still exists.
func (d *desk) fail(session, group string, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.change(session, 0, func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Fail(group, why) }, "")
}
