package transcript

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// Site is the configuration of a server of Streamable HTTP, without the Config of its sessions:
// the words of the head line "http".
type Site struct {
	Rules       headers.Rules   // remote (otherwise local) hosts=H,… origins=O,… nolisten noend
	Streams     streams.Options // bytes=N listeners=N keep=D retry=D listen=D
	Idle        time.Duration   // idle=D: how long an inactive session lives
	MaxBody     int             // body=N: the largest body, in bytes
	MaxSessions int             // sessions=N
	Token       string          // token=T: the required Bearer token; "" if none
	Scopes      *Scopes         // base=S+S grant=T:S+S needs=TOOL:S+S implies=S:S+S: the tokens and the required scopes; nil if Token has all
	Metadata    string          // metadata=URL: the protected resource, whose metadata are at the place of RFC 9728
}

// The default limits of a Site.
const (
	defaultIdle    = 30 * time.Minute
	defaultMaxBody = 1 << 20
	defaultMax     = 100
)

// site reads the words of a head line "http".
func site(list []string) (Site, error) {
	s := Site{Rules: headers.Rules{Local: true}, Idle: defaultIdle, MaxBody: defaultMaxBody, MaxSessions: defaultMax}
	err := options{
		{key: "remote", set: func(string) error { s.Rules.Local = false; return nil }},
		names("hosts", &s.Rules.Hosts), names("origins", &s.Rules.Origins), flag("nolisten", &s.Rules.NoListen), flag("noend", &s.Rules.NoEnd),
		count("bytes", &s.Streams.MaxBytes), count("listeners", &s.Streams.MaxListeners), lasting("keep", &s.Streams.Keep),
		lasting("retry", &s.Streams.Retry), lasting("listen", &s.Streams.Idle), lasting("idle", &s.Idle),
		count("body", &s.MaxBody), count("sessions", &s.MaxSessions), text("token", &s.Token), text("metadata", &s.Metadata),
		s.scopes("base"), s.scopes("grant"), s.scopes("needs"), s.scopes("implies"),
	}.read(list)
	return s, err
}

// names is an option that is a list.
func names(key string, p *[]string) option {
	return option{key: key, set: func(val string) error { *p = strings.Split(val, ","); return nil }}
}

// read reads the words of a head line "http".
func (o options) read(list []string) error {
	for _, word := range list {
		if err := o.set(word); err != nil {
			return fmt.Errorf("http: %w", err)
		}
	}
	return nil
}

// settings reads a head line "http": words of a Site, or for a client attempts=N wait=D
// maximum=D minimum=D logins=N, and exact, which shows all headers of its requests.
func (f *File) settings(list []string) (err error) {
	if f.Role != protocol.Client {
		f.Site, err = site(list)
		return err
	}
	return options{
		flag("exact", &f.Exact), count("attempts", &f.Exchange.Attempts), count("logins", &f.Exchange.Logins),
		lasting("wait", &f.Exchange.Wait), lasting("maximum", &f.Exchange.MaxWait), lasting("minimum", &f.Exchange.MinWait),
	}.read(list)
}
