package nethttp

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Internal says how processes reach each other, for sessions of a Cluster that have a home (Options.Companion), and
// for retries of requests without a session.
type Internal struct {
	// URL is where other processes reach Handler.Internal of this process, such as http://10.0.0.7:9000. Each process
	// needs its own, which clients and their proxies must not reach. "" means that others cannot reach it.
	URL string
	// Transport makes the requests to other processes. The default connects within 1 s, and uses no proxy. For
	// an https URL it verifies certificates.
	Transport http.RoundTripper
}

// connectTimeout is how long the default of Internal.Transport waits for a connection.
const connectTimeout = time.Second

// internal is what a Handler needs for its requests to others, and theirs.
type internal struct {
	key       []byte
	states    cipher.AEAD // of requests that are made again
	transport http.RoundTripper
}

// check returns what is wrong with the URL: an error of package lifecycle.
func (o Internal) check() error {
	u, err := url.Parse(o.URL)
	if o.URL == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return nil
	}
	var f lifecycle.Filler
	f.Wrong("URL", strconv.Quote(o.URL), "want http://HOST:PORT or https://HOST:PORT")
	return f.Err("nethttp")
}

func newInternal(o Internal, secret [16]byte) internal {
	in := internal{
		key:       mac(secret[:], []byte("nethttp: requests of other processes")),
		states:    newAEAD(mac(secret[:], []byte("nethttp: states of requests that are made again"))),
		transport: o.Transport,
	}
	if in.transport == nil {
		dialer := net.Dialer{Timeout: connectTimeout}
		in.transport = &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: time.Minute}
	}
	return in
}

// newAEAD returns the cipher of states.
func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // of a block that is none of AES
	}
	return aead
}

// idleConnections is how many connections to each other process are kept for the next request.
const idleConnections = 64

// ticketHeader carries a ticket.
const ticketHeader = "Mcp-Internal"

// ended is what the header of an answer says if no process has the id that a ticket is for.
const ended = "ended"

// ticket is a request that a process passes on: all of it but the body. Nothing else that the request says counts.
type ticket struct {
	To     string      `json:"to"` // the process that it is for: its id for one tenure, or Handler.id
	Method string      `json:"method"`
	Query  string      `json:"query,omitempty"`
	Header http.Header `json:"header"`
	Remote string      `json:"remote"` // the address that the client came from
	// Whom it comes from, as Options.Authenticate of the process said.
	Known   bool   `json:"known,omitempty"`
	Who     []byte `json:"who,omitempty"`
	Expires int64  `json:"expires,omitempty"` // Unix time in microseconds, for JSON has no year 10000; 0 for never
	Sum     []byte `json:"sum"`               // SHA-256 of the body
}

// from returns whom the request comes from.
func (t *ticket) from() (p Principal) {
	p.ID = string(t.Who)
	if t.Expires != 0 {
		p.Expires = time.UnixMicro(t.Expires)
	}
	return p
}

// micros returns a time as Expires of a ticket.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// passed returns the fields of a request that are passed on. What else there is was for the process that got it.
func passed(head http.Header) http.Header {
	out := http.Header{}
	for name, values := range head {
		switch name {
		case headers.Accept, headers.ContentType, headers.ContentEncoding, headers.LastEventID:
		default:
			if !strings.HasPrefix(name, "Mcp-") || name == ticketHeader {
				continue
			}
		}
		out[name] = values
	}
	return out
}

// request returns a request to another process, with the ticket as text that nobody else can make.
func (in internal) request(ctx context.Context, url string, body io.Reader, t ticket) (*http.Request, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, t.Method, url, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set(ticketHeader, base64.RawURLEncoding.EncodeToString(text)+"."+base64.RawURLEncoding.EncodeToString(mac(in.key, text)))
	return r, nil
}

func mac(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)
}

// unseal returns the ticket of a request; false for a text that request did not make.
func (in internal) unseal(sealed string) (t ticket, ok bool) {
	front, back, _ := strings.Cut(sealed, ".")
	text, err := base64.RawURLEncoding.DecodeString(front)
	if err != nil {
		return t, false
	}
	sum, err := base64.RawURLEncoding.DecodeString(back)
	if err != nil || !hmac.Equal(sum, mac(in.key, text)) {
		return t, false
	}
	return t, json.Unmarshal(text, &t) == nil
}
