package headers

import "strings"

// Head is what the transport reads of an HTTP request before its body. Its texts share the
// memory of the request.
type Head struct {
	Method string // in upper case
	Host   string // the Host header, including a port

	Origin      string // see HasOrigin
	FetchSite   string // where the browser's page is from; all fields with that name, joined by commas
	Accept      string // all fields with that name, joined by commas
	ContentType string // the type of the body, with its parameters
	Encoding    string // the encoding of the body; all fields with that name, joined by commas
	Session     string // the session id; "" if absent
	Version     string // the revision that the client names; see HasVersion
	LastEventID string // the event after which a stream continues; "" if absent

	HasOrigin  bool // an Origin header is present, even if empty
	HasVersion bool // likewise for the protocol version

	// Repeated is the name of the first header that may occur only once but occurs with different
	// values; "" if there is none. Equal values do not count, since proxies
	// and libraries repeat headers. So the version may be a list.
	Repeated string
}

// Read returns the head of a request. values returns the values of the header with the
// given name, like the method Values of a net/http Header; nil means none.
func Read(method, host string, values func(name string) []string) Head {
	h := Head{Method: method, Host: host}
	if values == nil {
		return h
	}
	once := func(name string) (string, bool) {
		all := values(name)
		if len(all) == 0 {
			return "", false
		}
		for _, v := range all[1:] {
			if v != all[0] && h.Repeated == "" {
				h.Repeated = name
			}
		}
		return trim(all[0]), true
	}
	h.Origin, h.HasOrigin = once(Origin)
	h.ContentType, _ = once(ContentType)
	h.Session, _ = once(Session)
	h.Version, h.HasVersion = once(Version)
	h.LastEventID, _ = once(LastEventID)
	h.Version = single(h.Version)
	h.FetchSite = strings.Join(values(FetchSite), ",")
	h.Accept = strings.Join(values(Accept), ",")
	h.Encoding = strings.Join(values(ContentEncoding), ",")
	return h
}

// single returns the element of a list that repeats it, as a header that was added twice does,
// and any other text unchanged.
func single(list string) string {
	first, rest, more := strings.Cut(list, ",")
	first = trim(first)
	for more {
		var item string
		if item, rest, more = strings.Cut(rest, ","); trim(item) != first {
			return list
		}
	}
	return first
}

// trim removes the optional white space of RFC 9110 around s.
func trim(s string) string {
	if s == "" || s[0] > ' ' && s[len(s)-1] > ' ' { // as almost always
		return s
	}
	return strings.Trim(s, " \t")
}
