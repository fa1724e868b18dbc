package dial

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// The defaults of Dialer.Stdio that differ from those of child.Options.
const (
	// queueBytes bounds what waits to be read by one child process.
	queueBytes = 1 << 20
	// linger is how long what a child leaves behind may hold its output: callers of a
	// server that has died are told no later than this.
	linger = 50 * time.Millisecond
)

// Dialer opens connections. The zero value is ready for use.
type Dialer struct {
	// Stdio has the settings of child processes.
	Stdio child.Options
	// HTTP has the settings of connections over HTTP; Header, Token and Auth of a URL are added, and
	// RefusedEnds is set.
	HTTP remote.Options
}

// Dial is a links.Dial for Command and URL, and for pointers to them. Errors: lifecycle.ErrConfig for another
// endpoint, a Command without Args and for Stdio, the error of starting the process, remote.ErrInsecure, an invalid
// url, the cause of ctx.
func (d Dialer) Dial(ctx context.Context, endpoint any) (links.Transport, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	switch e := endpoint.(type) {
	case Command:
		return d.start(e)
	case *Command:
		if e != nil {
			return d.start(*e)
		}
	case URL:
		return d.connect(e)
	case *URL:
		if e != nil {
			return d.connect(*e)
		}
	}
	return nil, &lifecycle.ConfigError{Package: "dial", Field: "endpoint", Value: fmt.Sprintf("%T", endpoint), Why: "want a Command or a URL"}
}

// start starts the server of a Command.
func (d Dialer) start(c Command) (links.Transport, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, &lifecycle.ConfigError{Package: "dial", Field: "Command.Args", Value: fmt.Sprintf("%q", c.Args), Why: "want a program to start"}
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	if c.Clean {
		cmd.Env = append([]string{}, c.Env...)
	} else if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	if c.Stderr != nil { // a nil interface: an *os.File that is nil would be a file
		cmd.Stderr = c.Stderr
	}
	opt := d.Stdio
	opt.QueueBytes, opt.Linger = cmp.Or(opt.QueueBytes, queueBytes), cmp.Or(opt.Linger, linger)
	child, err := child.Start(cmd, opt)
	if err != nil { // not a *Child that is nil
		if c.Dir != "" {
			if _, bad := os.Stat(c.Dir); bad != nil {
				return nil, fmt.Errorf("dial: the directory: %w", bad) // which os/exec says of the program
			}
		}
		return nil, err
	}
	return child, nil
}

// connect returns the Transport to a URL.
func (d Dialer) connect(u URL) (links.Transport, error) {
	opt := d.HTTP
	opt.RefusedEnds = true // callers of a server that has died are told at once
	if len(opt.Header) > 0 || len(u.Header) > 0 {
		header := opt.Header.Clone()
		if header == nil {
			header = http.Header{}
		}
		for name, values := range u.Header {
			header[http.CanonicalHeaderKey(name)] = values
		}
		opt.Header = header
	}
	switch {
	case u.Auth != nil:
		opt.Auth, opt.Token = u.Auth, nil
	case u.Token != nil:
		opt.Auth, opt.Token = nil, u.Token
	}
	if u.Client != nil {
		opt.Client = u.Client
	}
	if !opt.InsecureToken && !safe(u.URL, personal(opt.Header)) {
		return nil, remote.ErrInsecure
	}
	return remote.New(u.URL, opt)
}

// personal reports whether a header identifies the sender.
func personal(h http.Header) bool {
	for name := range h {
		switch http.CanonicalHeaderKey(name) {
		case "Authorization", "Cookie", "Proxy-Authorization":
			return true
		}
	}
	return false
}

// safe reports whether nobody on the way reads who asks, by a header or by the url itself: it names
// no user, is https, or leads to this machine. A url that cannot be used is left to package remote.
func safe(server string, personal bool) bool {
	u, err := url.Parse(server)
	if err != nil || !strings.EqualFold(u.Scheme, "http") || u.Host == "" || !personal && u.User == nil {
		return true
	}
	return headers.Loopback(u.Hostname())
}
