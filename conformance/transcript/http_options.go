package transcript

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// Site is how a server of Streamable HTTP is set up, beside the Config of its sessions: the
// words of the head line "http".
type Site struct {
	Rules       headers.Rules   // remote (else local) hosts=H,… origins=O,… nolisten noend
	Streams     streams.Options // bytes=N listeners=N keep=D retry=D listen=D
	Idle        time.Duration   // idle=D: how long a session lives of which nothing is heard and nothing runs
	MaxBody     int             // body=N: the largest body, in bytes
	MaxSessions int             // sessions=N
	Token       string          // token=T: what clients have to send as a Bearer token; "" if they need none
	Metadata    string          // metadata=URL: the protected resource, whose metadata are where RFC 9728 has them
}

// The limits of a Site that its head does not name.
const (
	defaultIdle    = 30 * time.Minute
	defaultMaxBody = 1 << 20
	defaultMax     = 100
)

// site reads the words of a head line "http".
func site(list []string) (Site, error) {
	s := Site{Rules: headers.Rules{Local: true}, Idle: defaultIdle, MaxBody: defaultMaxBody, MaxSessions: defaultMax}
	for _, word := range list {
		key, val, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "remote":
			s.Rules.Local = false
		case "hosts":
			s.Rules.Hosts = strings.Split(val, ",")
		case "origins":
			s.Rules.Origins = strings.Split(val, ",")
		case "bytes":
			s.Streams.MaxBytes, err = strconv.Atoi(val)
		case "listeners":
			s.Streams.MaxListeners, err = strconv.Atoi(val)
		case "keep":
			s.Streams.Keep, err = time.ParseDuration(val)
		case "retry":
			s.Streams.Retry, err = time.ParseDuration(val)
		case "listen":
			s.Streams.Idle, err = time.ParseDuration(val)
		case "idle":
			s.Idle, err = time.ParseDuration(val)
		case "body":
			s.MaxBody, err = strconv.Atoi(val)
		case "sessions":
			s.MaxSessions, err = strconv.Atoi(val)
		case "token":
			s.Token = val
		case "metadata":
			s.Metadata = val
		case "nolisten":
			s.Rules.NoListen = true
		case "noend":
			s.Rules.NoEnd = true
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return s, fmt.Errorf("http: %s: %w", word, err)
		}
	}
	return s, nil
}

// settings reads a head line "http": words of a Site, or for a client attempts=N wait=D
// maximum=D minimum=D logins=N, and exact, which shows all headers of its requests.
func (f *File) settings(list []string) (err error) {
	if f.Role != protocol.Client {
		f.Site, err = site(list)
		return err
	}
	for _, word := range list {
		key, val, _ := strings.Cut(word, "=")
		switch key {
		case "exact":
			f.Exact = true
		case "attempts":
			f.Exchange.Attempts, err = strconv.Atoi(val)
		case "logins":
			f.Exchange.Logins, err = strconv.Atoi(val)
		case "wait":
			f.Exchange.Wait, err = time.ParseDuration(val)
		case "maximum":
			f.Exchange.MaxWait, err = time.ParseDuration(val)
		case "minimum":
			f.Exchange.MinWait, err = time.ParseDuration(val)
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return fmt.Errorf("http: %s: %w", word, err)
		}
	}
	return nil
}

// authorize checks the token of a request.
func (s *Site) authorize(h http.Header) *headers.Refusal {
	if s.Token == "" {
		return nil
	}
	token, sent := headers.Bearer(h.Get(headers.Authorization))
	if token == s.Token {
		return nil
	}
	c := headers.Challenge{}
	if at, err := url.Parse(s.Metadata); err == nil && s.Metadata != "" {
		at.Path = "/.well-known/oauth-protected-resource" + at.Path
		c.ResourceMetadata = at.String()
	}
	if sent {
		c.Error = "invalid_token"
	}
	return headers.Unauthorized(c)
}
