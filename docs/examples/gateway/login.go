package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/docs/examples/gateway/config"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// newPages returns the pages for logins at servers that require them, separately for each user.
func (p *program) newPages() (*login.Pages, error) {
	kept := store.NewMemory()
	if p.tokens != "" {
		files, err := store.NewFiles(p.tokens)
		if err != nil {
			return nil, err
		}
		kept = files
	}
	return login.NewPages(login.PagesOptions{
		URL: p.login, Who: p.who, Log: p.logger,
		Open: func(principal, name, redirect string) (*login.Runner, error) {
			for _, s := range p.current.Load().Servers {
				if s.Name == name && s.URL != "" {
					c, opt := oauth.Config{Name: "gateway", Redirect: redirect}, login.Options{Detached: true, Store: kept, Principal: principal, Log: p.logger}
					p.exchange(name, principal, &c, &opt)
					return login.New(c, s.URL, opt)
				}
			}
			return nil, nil
		},
		Done: func(principal, server string) { p.g.Retry(principal, server) },
	})
}

// who returns the user of a browser. Without users it is the one user of this machine.
func (p *program) who(r *http.Request) (string, error) {
	if p.users == nil {
		return "", nil
	}
	return p.users.browser(r)
}

// serversOf returns the servers of a session, with the tokens of its principal.
func (p *program) serversOf(who server.Peer) []relay.Server {
	return p.servers(*p.current.Load(), who.Principal)
}

// forget closes the logins at servers that have changed or are gone.
func (p *program) forget(before, now config.Config) {
	if p.pages == nil {
		return
	}
	urls := map[string]string{}
	for _, s := range now.Servers {
		urls[s.Name] = s.URL
	}
	for _, s := range before.Servers {
		if s.URL != "" && urls[s.Name] != s.URL {
			p.pages.Forget(s.Name)
		}
	}
}

// checkLogin returns what is wrong with the flags of logins.
func (s *settings) checkLogin() error {
	u, err := url.Parse(s.login)
	switch {
	case s.userFile != "" && s.addr == "":
		return errors.New("-users needs -http")
	case s.forUser != "" && (s.userFile == "" || s.login == ""):
		return errors.New("-exchange needs -users and -login")
	case s.tokens != "" && s.login == "":
		return errors.New("-tokens needs -login")
	case s.login == "":
		return nil
	case err != nil || u.Host == "":
		return errors.New("-login is a url, such as http://127.0.0.1:8080/login")
	case s.addr == "" && !headers.Loopback(u.Hostname()):
		return errors.New("without -http, -login is a url of this machine")
	case s.userFile == "" && !headers.Loopback(u.Hostname()):
		return errors.New("-login at a url of another machine needs -users")
	case s.userFile == "" && s.addr != "" && !ownAddress(s.addr): // who reaches it would be the one user, and log in for it
		return errors.New("-login with -http at an address that other machines reach needs -users")
	}
	return nil
}

// ownAddress reports whether only this machine reaches a listening address.
func ownAddress(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err != nil || headers.Loopback(host) // net.Listen reports an invalid one
}

// serveLogin serves the pages of a gateway that has no other HTTP, until stop is called.
func (p *program) serveLogin() (stop func(), err error) {
	u, err := url.Parse(p.login)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", u.Host)
	if err != nil {
		return nil, fmt.Errorf("-login: %w", err)
	}
	s := &http.Server{Handler: p.pages, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // until Shutdown
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), p.drain)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			_ = s.Close()
		}
		<-done
	}, nil
}
