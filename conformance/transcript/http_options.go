package transcript

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// Site is how a server of Streamable HTTP is set up, beside the Config of its sessions: the
// words of the head line "http".
type Site struct {
	Rules       headers.Rules   // remote (else local) hosts=H,… origins=O,… nolisten noend
	Streams     streams.Options // bytes=N listeners=N keep=D retry=D
	Idle        time.Duration   // idle=D: how long a session lives of which nothing is heard and nothing runs
	MaxBody     int             // body=N: the largest body, in bytes
	MaxSessions int             // sessions=N
	Token       string          // token=T: what clients have to send as a Bearer token; "" if they need none
	Metadata    string          // metadata=URL: of the protected resource, for who sends no token
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

// authorize checks the token of a request.
func (s *Site) authorize(h http.Header) *headers.Refusal {
	if s.Token == "" {
		return nil
	}
	token, sent := headers.Bearer(h.Get(headers.Authorization))
	if token == s.Token {
		return nil
	}
	c := headers.Challenge{ResourceMetadata: s.Metadata}
	if sent {
		c.Error = "invalid_token"
	}
	return headers.Unauthorized(c)
}
