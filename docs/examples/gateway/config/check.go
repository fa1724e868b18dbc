package config

import (
	"net/url"
	"strings"
)

// remote says which types of a definition are those of a url; those of a command are false.
var remote = map[string]bool{
	"stdio": false, "command": false,
	"http": true, "streamable-http": true, "streamable_http": true, "streamablehttp": true, "sse": true,
}

// check looks whether the definition is one of a command or of a url.
func (e *entry) check() {
	name, wrong := e.s.Name, e.p.wrong
	away := e.url != nil
	if e.kind != nil {
		typ := e.text(*e.kind)
		is, known := remote[strings.ToLower(typ)]
		if !known {
			wrong(e.kind.value.at, "server %q: %s is %q, and neither stdio nor http nor sse", name, e.kind.name, brief(typ))
			return
		}
		away = is
	} else if e.command != nil && e.url != nil {
		wrong(e.at, "server %q has both command and %s; a type says which counts", name, e.url.name)
		return
	}
	switch {
	case !away && e.command == nil && e.url == nil:
		wrong(e.at, "server %q has neither command nor url", name)
	case !away && e.command == nil:
		wrong(e.at, "server %q has no command", name)
	case away && e.url == nil:
		wrong(e.at, "server %q has no url", name)
	case !away && e.s.Command == "":
		wrong(e.where(e.command), "server %q: the command is empty", name)
	case away:
		e.s.Command, e.s.Args, e.s.Env, e.s.Dir = "", nil, nil, ""
		e.checkURL()
		return
	}
	e.s.URL, e.s.Header = "", nil
}

// checkURL looks whether requests can be made.
func (e *entry) checkURL() {
	u, err := url.Parse(e.s.URL)
	switch {
	case err != nil:
		e.p.wrong(e.url.value.at, "server %q: %s is no url", e.s.Name, e.url.name)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		e.p.wrong(e.url.value.at, "server %q: %s is no url of http or https", e.s.Name, e.url.name)
	}
	for name, v := range e.s.Header {
		if !isToken(name) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			e.p.wrong(e.at, "server %q: %q is no header, or its value none", e.s.Name, name)
		}
	}
}

// isToken reports whether a text can be the name of a header.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
