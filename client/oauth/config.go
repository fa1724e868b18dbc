package oauth

import (
	"cmp"
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Grant is how a token is obtained.
type Grant uint8

// The grants. All but the first need no person.
const (
	// AuthorizationCode asks a person, who agrees on a page of the authorization server (OAuth 2.1,
	// section 4.1).
	AuthorizationCode Grant = iota
	// ClientCredentials asks for a token of the client itself (OAuth 2.1, section 4.2; the extension
	// io.modelcontextprotocol/oauth-client-credentials).
	ClientCredentials
	// Assertion passes the Subject to the authorization server unchanged (RFC 7523, section 2.1), such
	// as the token of a workload.
	Assertion
	// Enterprise exchanges the Subject, an ID token, at the identity provider of Config.Provider for an
	// ID-JAG, which the authorization server takes as an assertion (the extension
	// io.modelcontextprotocol/enterprise-managed-authorization).
	Enterprise
	// Exchange trades the Subject, a token of another user or service, for one of this resource (RFC 8693).
	Exchange
	grantCount
)

// The ways in which a client authenticates at a token endpoint (RFC 7591, section 2).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodJWT   = "private_key_jwt"
)

var methods = []string{methodNone, methodBasic, methodPost, methodJWT}

// The grants and the types of tokens, as they are written.
const (
	grantJWT        = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange   = "urn:ietf:params:oauth:grant-type:token-exchange"
	typeIDToken     = "urn:ietf:params:oauth:token-type:id_token"
	typeAccessToken = "urn:ietf:params:oauth:token-type:access_token"
	typeIDJAG       = "urn:ietf:params:oauth:token-type:id-jag"
	typeAssertion   = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// grantTypes are the grants, as a client says what it uses.
var grantTypes = [grantCount]string{"authorization_code", "client_credentials", grantJWT, grantJWT, grantExchange}

// Credentials are what an authorization server knows a client by, as it was registered there beforehand.
type Credentials struct {
	// Issuer is the authorization server that knows the client. The credentials go to no other one. ""
	// stands for the first issuer that the server names; from then on for that one alone.
	Issuer string
	ID     string // the client_id
	Secret Secret // the client_secret; "" if the client has none
	// Method is how the client authenticates at the token endpoint: none, client_secret_basic,
	// client_secret_post or private_key_jwt. "" means what the authorization server lists, basic first.
	Method string
}

// Provider is the identity provider of the grant Enterprise.
type Provider struct {
	TokenURL string      // its token endpoint
	Client   Credentials // the client's credentials there; Issuer is ignored
}

// Config has the settings of a Flow. A field that is zero means its default.
type Config struct {
	// Grant is how a token is obtained; by default a person is asked.
	Grant Grant

	// Redirect is where the authorization server sends the person back to: a loopback url over http, or
	// an https url (AUTH-042). AuthorizationCode needs it.
	Redirect string
	// Clients are registered beforehand, at most one for each issuer (AUTH-114). With Clients no other
	// way to become known is tried.
	Clients []Credentials
	// Document is the https url of the client id metadata document of the client (AUTH-102), whose
	// contents Config.Metadata returns. With Algorithm the client authenticates by private_key_jwt
	// (AUTH-113), and the document has to say where its keys are: add jwks_uri to it.
	Document string
	// Algorithm and KeyID are in the head of an assertion of private_key_jwt: the algorithm of the key,
	// such as ES256, and its name, "" for none. The signature is asked for in phase Asking.
	Algorithm, KeyID string
	// Name is shown to the person: client_name of a registration. Default "MCP client".
	Name string
	// ApplicationType of a registration is "native" or "web"; the default is by Redirect (AUTH-203).
	ApplicationType string

	// Scopes, if not nil, are the only ones that are ever asked for. They add none: what is asked for is
	// what the challenge names, or the metadata of the server (AUTH-109).
	Scopes []string
	// Issuers, if not nil, are the only authorization servers that are used (AUTH-059).
	Issuers []string
	// Trusted are hosts, with their ports where they have one, that are used over http and at private
	// addresses too (SEC-103).
	Trusted []string
	// NoRefresh asks for no refresh tokens.
	NoRefresh bool
	// NoLegacy does not try the origin of a server without protected resource metadata as its
	// authorization server, as revision 2025-03-26 does (AUTH-056).
	NoLegacy bool
	// StrictResource takes protected resource metadata of exactly this server only. By default that of
	// a path above it, on the same origin, does too (AUTH-060).
	StrictResource bool
	// Proof asks for tokens that are bound to a key of the client (DPoP, RFC 9449): HTTPRequest.Proof is set
	// and Token.Type is DPoP.
	Proof bool
	// Revision is that of the MCP-Protocol-Version header of requests for metadata (AUTH-055). Default
	// is the newest of protocol.AllRevisions.
	Revision protocol.Revision

	// Provider is the identity provider of the grant Enterprise.
	Provider Provider
	// SubjectType is the token type of the Subject of Enterprise and Exchange. Default is an ID token
	// for Enterprise and an access token for Exchange (RFC 8693, section 3).
	SubjectType string

	// Patience is how long a run takes at most without what a person does. Default 2 min.
	Patience time.Duration
	// Person is how long a person has for the page. Default 10 min.
	Person time.Duration
}

// The defaults of Config.
const (
	DefaultPatience = 2 * time.Minute
	defaultPerson   = 10 * time.Minute
	defaultName     = "MCP client"
)

// Extension returns the identifier under which the capabilities of a client declare the grant
// (AUTH-305), "" for a grant that is part of the base protocol.
func (g Grant) Extension() string {
	switch g {
	case ClientCredentials:
		return "io.modelcontextprotocol/oauth-client-credentials"
	case Enterprise:
		return "io.modelcontextprotocol/enterprise-managed-authorization"
	}
	return ""
}

// filled returns the Config with its defaults and with copies of what it points to. own is the policy of
// the server's url.
func (c Config) filled() (Config, error) {
	var f lifecycle.Filler
	f.Choice("Grant", int(c.Grant), int(grantCount)-1)
	f.Time("Patience", &c.Patience, DefaultPatience, lifecycle.NeverNone)
	f.Time("Person", &c.Person, defaultPerson, lifecycle.NeverNone)
	c.Name, c.Revision = cmp.Or(c.Name, defaultName), cmp.Or(c.Revision, protocol.AllRevisions()[0])
	c.Clients, c.Scopes, c.Issuers, c.Trusted = slices.Clone(c.Clients), slices.Clone(c.Scopes), slices.Clone(c.Issuers), slices.Clone(c.Trusted)
	c.redirect(&f)
	if c.Document != "" && !documentURL(c.Document) {
		f.Wrong("Document", c.Document, "want an https url with a path, without user, query of dots or fragment")
	}
	for i, k := range c.Clients {
		c.client(&f, k)
		for _, other := range c.Clients[:i] {
			if other.Issuer == k.Issuer || other.Issuer == "" || k.Issuer == "" {
				f.Wrong("Clients", k.Issuer, "want one for each issuer")
			}
		}
	}
	switch c.Grant {
	case ClientCredentials:
		if len(c.Clients) == 0 {
			f.Wrong("Clients", "none", "want the client of the grant")
		}
	case Enterprise:
		c.client(&f, c.Provider.Client)
		if _, err := parseURL(c.Provider.TokenURL); err != nil {
			f.Wrong("Provider.TokenURL", c.Provider.TokenURL, "want an http or https url")
		}
		c.SubjectType = cmp.Or(c.SubjectType, typeIDToken)
	case Exchange:
		c.SubjectType = cmp.Or(c.SubjectType, typeAccessToken)
	}
	return c, f.Err("oauth")
}

// redirect checks Redirect and fills in what follows from it.
func (c *Config) redirect(f *lifecycle.Filler) {
	native, ok := redirectURL(c.Redirect)
	if !ok && (c.Redirect != "" || c.Grant == AuthorizationCode) {
		f.Wrong("Redirect", c.Redirect, "want an http url of this machine or an https url, without fragment")
	}
	switch {
	case c.ApplicationType == "" && native:
		c.ApplicationType = "native"
	case c.ApplicationType == "":
		c.ApplicationType = "web"
	case c.ApplicationType != "native" && c.ApplicationType != "web":
		f.Wrong("ApplicationType", c.ApplicationType, "want native or web")
	}
}

// client checks Credentials.
func (c *Config) client(f *lifecycle.Filler, k Credentials) {
	switch {
	case k.ID == "":
		f.Wrong("Client.ID", "empty", "want the client_id")
	case k.Method != "" && !slices.Contains(methods, k.Method):
		f.Wrong("Client.Method", k.Method, "want none, client_secret_basic, client_secret_post or private_key_jwt")
	case k.Method == methodJWT && c.Algorithm == "":
		f.Wrong("Algorithm", "empty", "want that of the key, such as ES256")
	case (k.Method == methodBasic || k.Method == methodPost) && k.Secret == "":
		f.Wrong("Client.Secret", "empty", "want the secret of "+k.Method)
	}
}
