package main

import (
	"errors"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/conformance/interop/drive"
)

var noCall client.Call

func (s *session) dial(srv *drive.Server) (host.Transport, error) {
	return nil, errors.New("soon")
}
