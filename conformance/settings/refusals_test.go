package settings_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/settings"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

var (
	now  = time.Unix(1, 0)
	info = protocol.Implementation{Name: "x", Version: "1"}
)

// with returns a check of one change to settings that are good: what New or Check says of them.
func with[C any](good C, check func(C) error, change func(*C)) func() error {
	return func() error {
		change(&good)
		return check(good)
	}
}

func flow(change func(*oauth.Config)) func() error {
	good := oauth.Config{Redirect: "http://127.0.0.1/"}
	return with(good, func(c oauth.Config) error { _, err := oauth.New(c, "https://server.test/"); return err }, change)
}

func form(f naming.Form) func() error { return naming.Policy{Form: f}.Check }

func ofClient(change func(*client.Config)) func() error {
	return with(client.Config{Info: info}, func(c client.Config) error { _, err := client.New(c, now); return err }, change)
}

func metadata(change func(*nethttp.ResourceMetadata)) func() error {
	good := nethttp.ResourceMetadata{Resource: "https://server.test/mcp", AuthorizationServers: []string{"https://issuer.test"}}
	return with(good, func(m nethttp.ResourceMetadata) error {
		h, err := nethttp.NewHandler(server.Config{Info: info}, new(server.Handlers), nethttp.Options{Metadata: &m})
		if err == nil {
			h.Close()
		}
		return err
	}, change)
}

func connect(name string, opt manager.Options) func() error {
	return func() error {
		m, err := manager.New(manager.Config{Client: client.Config{Info: info}}, now)
		if err == nil {
			_, _, err = m.Connect(now, name, opt)
		}
		return err
	}
}

// What depends on other settings, or is neither a number nor a time, is refused in one line too: the package,
// the field, the value and what it may be.
func TestRefusals(t *testing.T) {
	for want, check := range map[string]func() error{
		"oauth: Redirect is : want an http url of this machine or an https url, without fragment":                   flow(func(c *oauth.Config) { c.Redirect = "" }),
		"oauth: Redirect is http://a.test/: want an http url of this machine or an https url, without fragment":     flow(func(c *oauth.Config) { c.Redirect = "http://a.test/" }),
		"oauth: ApplicationType is app: want native or web":                                                         flow(func(c *oauth.Config) { c.ApplicationType = "app" }),
		"oauth: Document is https://a.test: want an https url with a path, without user, query of dots or fragment": flow(func(c *oauth.Config) { c.Document = "https://a.test" }),
		"oauth: Clients is i: want one for each issuer":                                                             flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Issuer: "i"}, {ID: "b", Issuer: "i"}} }),
		"oauth: Clients is : want one for each issuer":                                                              flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Issuer: "i"}, {ID: "b"}} }),
		"oauth: Clients is j: want one for each issuer":                                                             flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a"}, {ID: "b", Issuer: "j"}} }),
		"oauth: Clients is none: want the client of the grant":                                                      flow(func(c *oauth.Config) { c.Grant = oauth.ClientCredentials }),
		"oauth: Provider.TokenURL is ftp://a: want an http or https url": flow(func(c *oauth.Config) {
			c.Grant = oauth.Enterprise
			c.Provider.Client.ID = "a"
			c.Provider.TokenURL = "ftp://a"
		}),
		"oauth: Client.ID is empty: want the client_id":                                                    flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{}} }),
		"oauth: Client.Method is x: want none, client_secret_basic, client_secret_post or private_key_jwt": flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Method: "x"}} }),
		"oauth: Algorithm is empty: want that of the key, such as ES256":                                   flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Method: "private_key_jwt"}} }),
		"oauth: Client.Secret is empty: want the secret of client_secret_post":                             flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Method: "client_secret_post"}} }),
		"oauth: Client.Secret is empty: want the secret of client_secret_basic":                            flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Method: "client_secret_basic"}} }),
		"login: Give is nil: want the function that signs, or returns the token of the grant": func() error {
			_, err := login.New(oauth.Config{Grant: oauth.Assertion}, "", login.Options{})
			return err
		},
		"login: Proof is nil: want the function that makes proofs": func() error { _, err := login.New(oauth.Config{Proof: true}, "", login.Options{}); return err },

		`naming: Form.Separator is "_-": want one to four of . _ -, not both _ and -, no dot with Provider, or "" for that of the profile`:    form(naming.Form{Separator: "_-"}),
		`naming: Form.Separator is ".....": want one to four of . _ -, not both _ and -, no dot with Provider, or "" for that of the profile`: form(naming.Form{Separator: "....."}),
		`naming: Form.Separator is ".": want one to four of . _ -, not both _ and -, no dot with Provider, or "" for that of the profile`:     form(naming.Form{Separator: ".", Profile: naming.Provider}),
		"naming: Form.Max is 65: want 32 to 64 with Provider, or 0 for 64":                                                                    form(naming.Form{Max: 65, Profile: naming.Provider}),
		"naming: Form.Max is 31: want 32 to 64 with Provider, or 0 for 64":                                                                    form(naming.Form{Max: 31, Profile: naming.Provider}),
		"naming: Form.Max is 31: want 32 or more, or 0 for 128":                                                                               form(naming.Form{Max: 31}),
		`naming: Form.Prefix is "a": want "" for a bare name`:                                                                                 form(naming.Form{Bare: true, Prefix: "a"}),
		`naming: Form.Prefix is "aaaaaaaaaaaaaaaa": want characters of the profile, with the separator half of Max at most, or "" for mcp`:    form(naming.Form{Max: 32, Prefix: strings.Repeat("a", 16)}),
		`naming: Form.Prefix is "a b": want characters of the profile, with the separator half of Max at most, or "" for mcp`:                 form(naming.Form{Prefix: "a b"}),

		`client: Declare is "roots.listChanged": want no flag of roots without roots, which nothing here declares`: ofClient(func(c *client.Config) { c.Declare = protocol.CapRootsListChanged }),
		"client: Roots is 1 roots: want what roots/list can carry: ":                                               ofClient(func(c *client.Config) { c.Roots = []protocol.Root{{URI: "x"}} }),
		"client: Info or Experimental is invalid: want what initialize can carry: ":                                ofClient(func(c *client.Config) { c.Experimental = map[string]protocol.Raw{"x": "{"} }),
		"server: StateKeys is a key too short: want at least 32 bytes": with(server.Config{Info: info, StateKeys: [][]byte{make([]byte, 31)}},
			func(c server.Config) error { _, err := server.New(c, now); return err }, func(*server.Config) {}),
		"server: Info or Experimental is invalid: want what initialize can carry: ": with(server.Config{Info: info, Experimental: map[string]protocol.Raw{"x": "{"}},
			func(c server.Config) error { _, err := server.New(c, now); return err }, func(*server.Config) {}),

		`manager: Meta is "{": want a JSON object without progressToken`:                     connect("s", manager.Options{Meta: "{"}),
		`manager: Meta is "{\"progressToken\":1}": want a JSON object without progressToken`: connect("s", manager.Options{Meta: `{"progressToken":1}`}),
		`manager: Meta is "[]": want a JSON object without progressToken`:                    connect("s", manager.Options{Meta: "[]"}),
		`manager: name is "": want UTF-8 of 1 to 1024 bytes`:                                 connect("", manager.Options{}),
		`manager: name is "\xff": want UTF-8 of 1 to 1024 bytes`:                             connect("\xff", manager.Options{}),
		"relay: Catalog is set: want nil: the lists are those of the servers": func() error {
			_, err := relay.Config{Info: info}.Server(server.Config{Info: info, Catalog: new(server.Catalog)})
			return err
		},
		"fleet: Options.Dial is nil: want a function": func() error {
			_, err := fleet.New(calls.Config{Catalog: catalog.Config{}}, fleet.Options{})
			return err
		},
		"session: Transport is nil: want a Transport": func() error { _, err := session.New(client.Config{Info: info}, nil, session.Options{}); return err },
		`session: Options.Serve is nil: want a function, because the Serve of a client.Config has "sampling/createMessage"`: func() error {
			_, err := session.New(client.Config{Info: info, Serve: []string{"sampling/createMessage"}}, deaf{}, session.Options{})
			return err
		},
		"remote: Token is both: want Auth or Token": func() error {
			_, err := remote.New("https://server.test/", remote.Options{Auth: new(login.Runner), Token: func(context.Context, headers.Challenge) (string, error) { return "", nil }})
			return err
		},
		"host: Handlers is nil: pass new(server.Handlers) for none": func() error { _, err := host.Config(server.Config{}, nil); return err },

		"nethttp: LegacySSE is true: want false, because no revision of Config.Revisions has sessions": func() error {
			_, err := nethttp.NewHandler(server.Config{Info: info, Revisions: protocol.StatelessRevisions()}, new(server.Handlers), nethttp.Options{LegacySSE: true})
			return err
		},
		`nethttp: Metadata.Resource is "https:///a": want an http or https url without fragment`:   metadata(func(m *nethttp.ResourceMetadata) { m.Resource = "https:///a" }),
		`nethttp: Metadata.Resource is "https://a/#b": want an http or https url without fragment`: metadata(func(m *nethttp.ResourceMetadata) { m.Resource = "https://a/#b" }),
		`nethttp: Metadata.Resource is "ftp://a": want an http or https url without fragment`:      metadata(func(m *nethttp.ResourceMetadata) { m.Resource = "ftp://a" }),
		`nethttp: Metadata.AuthorizationServers is "": want at least one issuer`:                   metadata(func(m *nethttp.ResourceMetadata) { m.AuthorizationServers = nil }),
		`nethttp: Metadata.AuthorizationServers is "https://a/?": want http or https urls without query and fragment`: metadata(func(m *nethttp.ResourceMetadata) {
			m.AuthorizationServers = append(m.AuthorizationServers, "https://a/?")
		}),
		`nethttp: Metadata.AuthorizationServers is "https://a/?b": want http or https urls without query and fragment`: metadata(func(m *nethttp.ResourceMetadata) { m.AuthorizationServers = []string{"https://a/?b"} }),
		`nethttp: Metadata.Keys is "http://a/": want an https url`:                                                     metadata(func(m *nethttp.ResourceMetadata) { m.Keys = "http://a/" }),
		`nethttp: Metadata.SigningAlgorithms is "none": want an algorithm that signs`:                                  metadata(func(m *nethttp.ResourceMetadata) { m.SigningAlgorithms = []string{"RS256", "none"} }),
		`nethttp: Metadata.Scopes is "offline_access": want scopes as of RFC 6749, other than offline_access`:          metadata(func(m *nethttp.ResourceMetadata) { m.Scopes = []string{"a", "offline_access"} }),
		`nethttp: Metadata.More is "resource": want a member that has no field of its own`:                             metadata(func(m *nethttp.ResourceMetadata) { m.More = map[string]any{"resource": 1} }),
		`nethttp: Metadata.More is "": want a member that has no field of its own`:                                     metadata(func(m *nethttp.ResourceMetadata) { m.More = map[string]any{"": 1} }),
	} {
		if strings.HasSuffix(want, ": ") { // behind it is what another package says
			err := check()
			if err == nil || !strings.HasPrefix(err.Error(), want) || err.Error() == want {
				t.Errorf("%v\nwant %s…", err, want)
				continue
			}
			want = err.Error()
		}
		settings.Refused(t, check(), want)
	}
}

// The last values that are good, each beside one that is not.
func TestLastGood(t *testing.T) {
	for name, check := range map[string]func() error{
		"separator": form(naming.Form{Separator: "...."}),
		"least":     form(naming.Form{Max: 32}),
		"provider":  form(naming.Form{Max: 64, Profile: naming.Provider}),
		"least of":  form(naming.Form{Max: 32, Profile: naming.Provider}),
		"prefix":    form(naming.Form{Max: 32, Prefix: strings.Repeat("a", 15)}),
		"bare":      form(naming.Form{Bare: true}),
		"clients":   flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Issuer: "i"}, {ID: "a", Issuer: "j"}} }),
		"secret": flow(func(c *oauth.Config) {
			c.Clients = []oauth.Credentials{{ID: "a", Method: "client_secret_post", Secret: "s"}}
		}),
		"public":    flow(func(c *oauth.Config) { c.Clients = []oauth.Credentials{{ID: "a", Method: "none"}} }),
		"redirect":  flow(func(c *oauth.Config) { c.Redirect = "https://a.test/" }),
		"no person": flow(func(c *oauth.Config) { c.Redirect, c.Grant = "", oauth.Assertion }),
		"web":       flow(func(c *oauth.Config) { c.ApplicationType = "web" }),
		"document":  flow(func(c *oauth.Config) { c.Document = "https://a.test/b" }),
		"name":      connect(strings.Repeat("a", 1024), manager.Options{}),
		"meta":      connect("s", manager.Options{Meta: "{}"}),
		"plain http": metadata(func(m *nethttp.ResourceMetadata) {
			m.Resource, m.AuthorizationServers = "http://a/?b", []string{"http://a/b"}
		}),
		"keys": metadata(func(m *nethttp.ResourceMetadata) { m.Keys, m.SigningAlgorithms = "https://a/k", []string{"RS256"} }),
		"more": metadata(func(m *nethttp.ResourceMetadata) { m.More, m.Scopes = map[string]any{"x": 1}, []string{"a"} }),
	} {
		if err := check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// deaf is a Transport that nobody uses.
type deaf struct{ links.Transport }
