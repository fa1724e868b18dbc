package transcript

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// Site is how a server of Streamable HTTP is set up, beside the Config of its sessions: the
// words of the head line "http".
type Site struct {
	Rules       headers.Rules   // local, which they are unless the word remote stands there; hosts=H,… origins=O,…
	Streams     streams.Options // bytes=N listeners=N keep=D retry=D
	Idle        time.Duration   // idle=D: how long a session lives of which nothing is heard and nothing runs
	MaxBody     int             // body=N: the largest body, in bytes
	MaxSessions int             // sessions=N
	Token       string          // token=T: what clients have to send as a Bearer token; "" if they need none
	Metadata    string          // metadata=URL: of the protected resource, for who sends no token
	Legacy      bool            // legacy: the transport of 2024-11-05 is served too
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
		case "legacy":
			s.Legacy = true
		default:
			err = fmt.Errorf("unknown word %q", word)
		}
		if err != nil {
			return s, fmt.Errorf("http: %s: %w", word, err)
		}
	}
	return s, nil
}
