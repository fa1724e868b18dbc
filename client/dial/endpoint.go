package dial

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Command is a server that runs as a child process.
type Command struct {
	// Args are the program and its arguments. The program is looked up in the PATH of this process,
	// not of Env, unless it has a slash; a relative path with a slash is relative to Dir.
	Args []string
	// Env are additional entries, "KEY=value", which override those of this process.
	Env []string
	// Clean omits the environment of this process: the server gets only Env.
	Clean bool
	// Dir is the directory that the server runs in; by default the one of this process.
	Dir string
	// Stderr gets what the server writes on standard error; nil discards it. Anything but an
	// *os.File costs a goroutine, and must not block, because the server would block too.
	Stderr io.Writer
}

// Equal reports whether other is a Command, or a pointer to one, of the same definition. Commands
// with different Stderr are different, and so are those whose Stderr cannot be compared.
func (c Command) Equal(other any) bool {
	if p, ok := other.(*Command); ok && p != nil {
		other = *p
	}
	o, ok := other.(Command)
	return ok && slices.Equal(c.Args, o.Args) && slices.Equal(c.Env, o.Env) && c.Clean == o.Clean && c.Dir == o.Dir &&
		same(c.Stderr, o.Stderr)
}

// same compares what may not be comparable.
func same(a, b any) (equal bool) {
	defer func() {
		if recover() != nil {
			equal = false
		}
	}()
	return a == b
}

// URL is a server of Streamable HTTP, or of HTTP+SSE.
type URL struct {
	// URL is the url of the endpoint, http or https.
	URL string
	// Header has fields of every request to it, such as a key.
	Header http.Header
	// Auth is used instead of remote.Options.Auth and Token, such as a login.Runner.
	Auth remote.Authorizer
	// Token is used instead of remote.Options.Auth and Token, if Auth is nil.
	Token func(ctx context.Context, c headers.Challenge) (string, error)
	// Client is used instead of remote.Options.Client.
	Client *http.Client
}

// Equal reports whether other is a URL, or a pointer to one, of the same definition. Functions cannot be
// compared: a URL with a Token equals no other, and neither does one whose Auth cannot be compared.
func (u URL) Equal(other any) bool {
	if p, ok := other.(*URL); ok && p != nil {
		other = *p
	}
	o, ok := other.(URL)
	return ok && u.URL == o.URL && u.Client == o.Client && same(u.Auth, o.Auth) && u.Token == nil && o.Token == nil &&
		maps.EqualFunc(u.Header, o.Header, slices.Equal)
}
