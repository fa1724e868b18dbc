package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var Meant = meant

func (c *Core) Live() bool { return c.live() }

func (c *Core) Batch(m *jsonrpc.Message, o *lifecycle.Output) []jsonrpc.Message { return c.batch(m, o) }

func (p Profile) At(level protocol.LoggingLevel) *Profile { return p.at(level) }

func (e *Env) Key(id jsonrpc.ID) uint64 { return e.key(id) }

func (f *Fields) Excess(what string) { f.excess(what) }

func (c *Core) Latest(calls []lifecycle.Call) lifecycle.Call { return c.latest(calls) }
