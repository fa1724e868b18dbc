package main

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/bench/relays"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// relayedCall forwards a call to one of n servers.
func relayedCall(n int) (act func() error, end func(), err error) {
	w, err := relays.New(n, origin)
	if err != nil {
		return nil, nil, err
	}
	call := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"%s","arguments":{}}}`, relays.Tool(n/2)))
	return func() error {
		s, out := w.Client.Receive(origin, call)
		if _, _, eff := w.Relay.Handle(s, origin, out); len(eff.Actions) != 1 || eff.Actions[0].Kind != manager.ActSend {
			return errors.New("the call is not passed on")
		}
		return nil
	}, nothing, nil
}

// relayedChange changes a list of one of n servers.
func relayedChange(n int) (act func() error, end func(), err error) {
	w, err := relays.New(n, origin)
	if err != nil {
		return nil, nil, err
	}
	changed := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"` + protocol.ToolList.Changed + `"}`)
	report := manager.Report{Kind: manager.Received, Link: w.Link(n / 2), Message: changed}
	return func() error {
		_, _, eff := w.Relay.Report(w.Client, origin, report)
		for _, ev := range eff.Events {
			if ev.Kind == lifecycle.Violation {
				return errors.New("the change is refused")
			}
		}
		return nil
	}, nothing, nil
}
