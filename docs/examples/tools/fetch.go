package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/server/registry"
)

// fetcher gets pages from the hosts of a list.
type fetcher struct {
	hosts  map[string]bool
	client *http.Client
}

var errHost = errors.New("this host is not on the list")

// newFetcher returns a fetcher for hosts, such as example.org or example.org:8080. allowed says
// which addresses may be dialled: it is called after names were resolved, for each connection, so
// that neither a name nor a redirect leads into the network of this program.
func newFetcher(hosts []string, allowed func(netip.Addr) bool) *fetcher {
	f := &fetcher{hosts: map[string]bool{}}
	for _, h := range hosts {
		f.hosts[strings.ToLower(h)] = true
	}
	dialer := net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || !allowed(at.Addr()) {
			return errors.New("the address is not a public one")
		}
		return nil
	}}
	f.client = &http.Client{
		Timeout: 20 * time.Second,
		// No proxy of the environment: it would dial instead of this program.
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) >= 5 {
				return errors.New("too many redirects")
			}
			return f.check(r.URL)
		},
	}
	return f
}

// check returns an error for a url that may not be fetched.
func (f *fetcher) check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("only http and https urls are fetched")
	case u.User != nil:
		return errors.New("a url with a password is not fetched")
	case !f.hosts[strings.ToLower(u.Host)]:
		return errHost
	}
	return nil
}

// public reports whether an address is on the open internet: not of this machine, of a private or a
// link's network, shared by a provider, multicast, or reserved.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	if a.Is6() && !unicast.Contains(a) {
		return false
	}
	for _, r := range reserved {
		if r.Contains(a) {
			return false
		}
	}
	return true
}

// unicast are the IPv6 addresses that were allocated. Others, such as forms that some systems
// translate to IPv4, lead to unknown places.
var unicast = netip.MustParsePrefix("2000::/3")

// reserved are networks that IsGlobalUnicast and IsPrivate allow.
var reserved = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

func prefixes(texts ...string) (list []netip.Prefix) {
	for _, t := range texts {
		list = append(list, netip.MustParsePrefix(t))
	}
	return list
}

func (f *fetcher) tool() registry.Tool {
	return one("fetch", "Returns a text from the web, up to 1 MiB, from a host of the list.",
		`{"type":"object","properties":{"url":{"type":"string","maxLength":2000}},"required":["url"],"additionalProperties":false}`, "url", f.get)
}

func (f *fetcher) get(ctx context.Context, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("this is no url")
	}
	if err := f.check(u); err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", errors.New("this is no url")
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return "", errors.New("the page cannot be fetched: " + reason(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxFile+1))
	switch {
	case err != nil:
		return "", errors.New("the page ended too early")
	case len(text) > maxFile:
		return "", errors.New("the page is longer than 1 MiB")
	case answer.StatusCode != http.StatusOK:
		return "", errors.New("the server answered " + strconv.Itoa(answer.StatusCode))
	}
	return string(text), nil
}

// reason says why a page was not fetched, without the addresses of this network.
func reason(err error) string {
	var (
		unknown *net.DNSError
		way     *net.OpError
		cause   *url.Error
	)
	switch {
	case errors.As(err, &unknown):
		return "the host is not known"
	case errors.As(err, &way):
		return way.Err.Error()
	case errors.As(err, &cause):
		return cause.Err.Error()
	}
	return err.Error()
}
