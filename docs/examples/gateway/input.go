package main

import (
	"context"
	"errors"
	"strings"

	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// inputs are values by the id of their input. It is a flag.Value that shows no value, because some
// are secret.
type inputs map[string]string

// String implements flag.Value.
func (in *inputs) String() string { return "" }

// Set implements flag.Value.
func (in *inputs) Set(s string) error {
	id, v, ok := strings.Cut(s, "=")
	if !ok || id == "" {
		return errors.New("it is id=value")
	}
	if *in == nil {
		*in = inputs{}
	}
	(*in)[id] = v
	return nil
}

// input returns the value of an input from a flag or, once, from the user at the terminal.
func (p *program) input(ctx context.Context, in config.Input) (string, bool) {
	if v, ok := p.inputs[in.ID]; ok {
		return v, true
	}
	if p.ask == nil {
		return "", false
	}
	v, ok := p.ask(ctx, in)
	if ok {
		_ = p.inputs.Set(in.ID + "=" + v)
	}
	return v, ok
}
