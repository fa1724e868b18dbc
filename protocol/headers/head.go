package headers

import "strings"

// Head is what the transport reads of an HTTP request before its body. The texts are
// those of the request: they share its memory.
type Head struct {
	Method string // in upper case, as HTTP has it
	Host   string // the Host header, with the port if it has one

	Origin      string // see HasOrigin
	FetchSite   string // where the page of a browser is; all fields of that name, joined by commas
	Accept      string // all fields of that name, joined by commas
	ContentType string // the type of the body, with its parameters
	Encoding    string // how the body is encoded; all fields of that name, joined by commas
	Session     string // the session id; "" if absent
	Version     string // the revision that the client names; see HasVersion
	LastEventID string // the event after which a stream continues; "" if absent

	HasOrigin  bool // an Origin header is there, though it may be empty
	HasVersion bool // as HasOrigin, of the protocol version

	// Repeated is the name of the first header that may occur once and occurs with several
	// values; "" if there is no such header. The same value again does not count, since proxies
	// and libraries repeat headers. For that reason the version may come as a list.
	Repeated string
}

// Read returns the head of a request. values returns the values of the header of the
// given name, as the method Values of a net/http Header does; it may be nil for none.
// Read is total.
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

// single returns the element of a list that has the same one several times, as it is made of a
// header that was added twice, and any other text as it is.
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

// trim leaves out the optional white space of RFC 9110 around s.
func trim(s string) string {
	if s == "" || s[0] > ' ' && s[len(s)-1] > ' ' { // as almost always
		return s
	}
	return strings.Trim(s, " \t")
}
