package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// ReadResource reads a resource of a server (row B16). One that does not exist is a
// *manager.Error with URI. Errors: those of Request.
func (f *Fleet) ReadResource(ctx context.Context, server, uri string, opt RequestOptions) (r protocol.ReadResourceResult, err error) {
	sent, err := f.send(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.ReadResource(now, server, uri, opt)
	})
	if err != nil {
		return r, err
	}
	body, err := sent.Wait(ctx)
	if err != nil {
		return r, err
	}
	return protocol.Decode[protocol.ReadResourceResult](body)
}

// GetPrompt gets a prompt of a server (row B18). arguments is a JSON object of strings, or ""
// or null for none. Errors: those of manager.Manager.GetPrompt and of Request.
func (f *Fleet) GetPrompt(ctx context.Context, server, prompt string, arguments protocol.Raw, opt RequestOptions) (r protocol.GetPromptResult, err error) {
	sent, err := f.send(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.GetPrompt(now, server, prompt, arguments, opt)
	})
	if err != nil {
		return r, err
	}
	body, err := sent.Wait(ctx)
	if err != nil {
		return r, err
	}
	return protocol.Decode[protocol.GetPromptResult](body)
}

// Complete asks a server for completions of an argument (row B19). Errors: those of
// manager.Manager.Complete and of Request.
func (f *Fleet) Complete(ctx context.Context, server string, p protocol.CompleteParams, opt RequestOptions) (r protocol.CompleteResult, err error) {
	sent, err := f.send(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.Complete(now, server, p, opt)
	})
	if err != nil {
		return r, err
	}
	body, err := sent.Wait(ctx)
	if err != nil {
		return r, err
	}
	return protocol.Decode[protocol.CompleteResult](body)
}
