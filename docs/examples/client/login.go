package main

import (
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// newLogin returns what logs in at a server, once: the next time the folder has the token.
func newLogin(server, folder string) (*login.Runner, error) {
	kept, err := store.NewFiles(folder)
	if err != nil {
		return nil, err
	}
	return login.New(oauth.Config{Name: "Example client"}, server, login.Options{Store: kept})
}
