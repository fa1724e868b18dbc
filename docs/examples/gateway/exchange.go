package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
)

// exchanges are the servers whose tokens are exchanged for the users' own ones (RFC 8693), by name, each with
// the gateway's credentials at its authorization server. No other server gets the token of a user, whatever a
// server says.
type exchanges map[string]oauth.Credentials

// readExchanges reads a file with a line "SERVER ISSUER CLIENT SECRET" for each server.
func readExchanges(file string) (exchanges, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := exchanges{}
	err = readLines(file, f, func(words []string) (wrong string) {
		if len(words) != 4 {
			return "want a server, an issuer, a client and its secret"
		}
		if _, twice := list[words[0]]; twice {
			return "duplicate server"
		}
		list[words[0]] = oauth.Credentials{Issuer: words[1], ID: words[2], Secret: oauth.Secret(words[3])}
		return ""
	})
	return list, err
}

// exchange changes the settings of a login at a server into those of an exchange, if the server is one
// of these.
func (p *program) exchange(server, principal string, c *oauth.Config, opt *login.Options) {
	k, ok := p.trades[server]
	if !ok {
		return
	}
	c.Grant, c.Clients = oauth.Exchange, []oauth.Credentials{k}
	opt.Give = func(context.Context, oauth.Ask) ([]byte, error) { return p.users.token(principal) }
}

// token returns the current token of a user: the program that renews it writes the file again.
func (u users) token(name string) ([]byte, error) {
	who, _ := u.find(name)
	if who.token == "" {
		return nil, fmt.Errorf("gateway: the user %s has no token to exchange; add its file to the line of -users", name)
	}
	text, err := os.ReadFile(who.token)
	if err != nil {
		return nil, fmt.Errorf("gateway: reading the token of the user %s: %w", name, errors.Unwrap(err))
	}
	return bytes.TrimSpace(text), nil
}
