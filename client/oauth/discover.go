package oauth

import (
	"slices"
)

// places are where the metadata of the server may be, in the order in which they are asked: what the
// challenge says comes first, if it is on the server's own origin and may be asked at all (AUTH-107).
func (f *Flow) places() []string {
	list := resourcePlaces(f.c.server)
	u, err := parseURL(f.run.hint)
	if err != nil || origin(u) != origin(f.c.server) || !f.usable(f.run.hint) {
		return list
	}
	return append([]string{f.run.hint}, slices.DeleteFunc(list, func(p string) bool { return p == f.run.hint })...)
}

// enterResource asks the place that is next for the metadata of the server.
func (f *Flow) enterResource() {
	places := f.places()
	if f.run.place < len(places) {
		f.demand(places[f.run.place])
		return
	}
	if f.run.found || f.run.hint != "" || f.c.NoLegacy {
		f.fail(Failure{Reason: NoMetadata, URL: places[0]})
		return
	}
	// 2025-03-26: the authorization server is the origin of the server (AUTH-054).
	f.run.meta = resourceDocument{Resource: f.c.resource}
	f.run.issuers, f.run.server.Legacy, f.run.place = f.ordered([]string{origin(f.c.server)}), true, 0
	if len(f.run.issuers) == 0 { // nor is it used without metadata (AUTH-059)
		f.fail(Failure{Reason: WrongIssuer, Issuer: origin(f.c.server)})
		return
	}
	f.enter(stepIssuer)
}

// answerResource takes what a place said.
func (f *Flow) answerResource(status int, d document, ok bool) {
	meta, good := resourceDocument{}, false
	if status/100 == 2 {
		f.run.found = true // 2025-03-26 has no such place, and answers 404
		if ok {
			meta, good = parseResource(d)
		}
	}
	if !good {
		f.run.place++
		f.enter(stepResource)
		return
	}
	if !covers(meta.Resource, f.c.server, f.c.StrictResource) {
		f.fail(Failure{Reason: ResourceMismatch})
		return
	}
	f.run.issuers, f.run.place = f.ordered(meta.Issuers), 0
	if len(f.run.issuers) == 0 {
		f.fail(Failure{Reason: WrongIssuer, Issuer: meta.Issuers[0]})
		return
	}
	meta.Issuers = nil // those that count are in order
	f.run.meta = meta
	f.enter(stepIssuer)
}

// ordered returns the issuers that may be used, in the order in which they are tried: the one of the token, those
// that know the client, the others (AUTH-059).
func (f *Flow) ordered(listed []string) []string {
	var first, known, others []string
	for _, issuer := range listed {
		same := func(other string) bool { return sameIssuer(other, issuer) }
		switch {
		case f.c.Issuers != nil && !slices.ContainsFunc(f.c.Issuers, same), !f.knownAt(issuer):
		case same(f.rec.Issuer):
			first = append(first, issuer)
		case slices.ContainsFunc(f.rec.Registrations, func(k Registration) bool { return same(k.Issuer) }):
			known = append(known, issuer)
		default:
			others = append(others, issuer)
		}
	}
	all := slices.Concat(first, known, others)
	return all[:min(len(all), maxIssuers)]
}

// knownAt reports whether the clients of Config, if there are any, have one for an issuer.
func (f *Flow) knownAt(issuer string) bool {
	if len(f.c.Clients) == 0 {
		return true
	}
	_, ok := f.configured(issuer)
	return ok
}

// configured returns the client of Config for an issuer. One without an issuer belongs to the first that
// it was used at: credentials go to no other (AUTH-202).
func (f *Flow) configured(issuer string) (Credentials, bool) {
	for _, k := range f.c.Clients {
		if sameIssuer(k.Issuer, issuer) {
			return k, true
		}
		if k.Issuer != "" {
			continue
		}
		bound := slices.IndexFunc(f.rec.Registrations, func(r Registration) bool { return r.Bound && r.ID == k.ID })
		if bound < 0 || sameIssuer(f.rec.Registrations[bound].Issuer, issuer) {
			return k, true
		}
	}
	return Credentials{}, false
}

// enterIssuer asks the place that is next for the metadata of the issuer that is next.
func (f *Flow) enterIssuer() {
	var last Failure // for want of metadata
	for ; len(f.run.issuers) > 0; f.run.issuers, f.run.place = f.run.issuers[1:], 0 {
		issuer := f.run.issuers[0]
		u, err := parseURL(issuer)
		if err != nil || u.RawQuery != "" || !f.usable(issuer) {
			f.run.barred = issuer
			continue
		}
		places := issuerPlaces(u)
		if f.run.server.Legacy {
			places = places[:1]
		}
		last.Issuer, last.URL = issuer, places[0]
		if f.run.place < len(places) {
			if f.request(places[f.run.place]) {
				return
			}
			f.run.barred = issuer // its url is too long with what is put before its path
			continue
		}
		if f.run.server.Legacy {
			// The endpoints that revision 2025-03-26 has by default (AUTH-056).
			f.run.server = issuerDocument{Issuer: issuer, Authorize: issuer + "/authorize", Token: issuer + "/token", Register: issuer + "/register", S256: true, Legacy: true}
			f.settle()
			return
		}
	}
	switch {
	case f.run.mismatch:
		f.fail(Failure{Reason: IssuerMismatch})
	case f.run.barred != "":
		f.fail(Failure{Reason: OutOfReach, Issuer: f.run.barred})
	case f.run.silent:
		last.Reason = Unreachable
		f.fail(last)
	default:
		last.Reason = NoMetadata
		f.fail(last)
	}
}

// answerIssuer takes what a place said.
func (f *Flow) answerIssuer(status int, d document, ok bool) {
	server, good := issuerDocument{}, false
	if ok && status/100 == 2 {
		server, good = parseIssuer(d)
	}
	if good && !sameIssuer(f.run.issuers[0], server.Issuer) {
		f.run.mismatch, good = true, false
		if f.run.server.Legacy {
			f.fail(Failure{Reason: IssuerMismatch})
			return
		}
	}
	if !good {
		f.run.place++
		f.enter(stepIssuer)
		return
	}
	server.Legacy = f.run.server.Legacy
	f.run.server = server
	f.settle()
}

// settle goes on with the authorization server that was found; nothing else leads to one (AUTH-011).
func (f *Flow) settle() {
	f.run.step = stepIdentity // what fails from here on is about the issuer
	switch s, person := &f.run.server, f.c.Grant == AuthorizationCode; {
	case person && s.Authorize == "":
		f.fail(Failure{Reason: NoMetadata})
	case person && !f.usable(s.Authorize):
		f.fail(Failure{Reason: OutOfReach, URL: s.Authorize})
	case !f.usable(s.Token):
		f.fail(Failure{Reason: OutOfReach, URL: s.Token})
	case person && !s.S256:
		f.fail(Failure{Reason: NoPKCE})
	default:
		f.enter(stepIdentity)
	}
}
