package config

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// check reports a definition that is neither of a command nor of a url.
func (e *entry) check() {
	away := e.url != nil
	if e.kind != nil {
		typ := e.text(*e.kind)
		is, known := sorts[plainName(typ)]
		if !known {
			e.wrong(e.kind.value.at, "%s is %q, and neither stdio nor http nor sse", e.kind.name, brief(typ))
			return
		}
		away = is
	} else if e.command != nil && e.url != nil {
		e.wrong(e.at, "it has both command and %s; write \"type\": \"stdio\" or \"http\"", e.url.name)
		return
	}
	switch {
	case len(e.faults) > 0:
	case !away && e.command == nil && e.url == nil:
		e.wrong(e.at, "it has neither command nor url")
	case !away && e.command == nil:
		e.wrong(e.at, "it has no command")
	case away && e.url == nil:
		e.wrong(e.at, "it has no url")
	case away:
		e.s.Command, e.s.Args, e.s.Env, e.s.Dir = "", nil, nil, ""
		e.checkURL()
	default:
		e.s.URL, e.s.Header = "", nil
		e.checkCommand()
	}
}

// checkCommand reports a command that is not one word, or not in its place.
func (e *entry) checkCommand() {
	s, at := &e.s, e.where(e.command)
	word, _, more := strings.Cut(s.Command, " ")
	switch {
	case strings.TrimSpace(s.Command) == "":
		e.wrong(at, "the command is empty")
		return
	case more && !strings.ContainsAny(word, `/\`):
		e.wrong(at, `the command has several words; write "command": %q, and the others in "args"`, brief(word))
		return
	case more && len(s.Args) == 0:
		e.warn(at, `the command has several words, and is taken for one path; write the others in "args" if it is not`)
	}
	for _, path := range []*string{&s.Command, &s.Dir} {
		home, err := e.p.home(*path)
		if err != nil {
			e.wrong(at, "%v", err)
			return
		}
		*path = home
	}
	for _, arg := range s.Args {
		if strings.HasPrefix(arg, "~/") {
			e.warn(at, "an argument begins with ~, which is not expanded; write ${userHome} for the home of the user")
			break
		}
	}
	if strings.ContainsAny(s.Command, `/\`) {
		s.Command = e.within(s.Command)
	}
	if s.Dir = e.within(s.Dir); s.Dir == "" {
		s.Dir = e.p.opt.Folder
	}
}

// checkURL reports a url or header with which no request can be made.
func (e *entry) checkURL() {
	u, err := url.Parse(e.s.URL)
	switch {
	case err != nil:
		e.wrong(e.url.value.at, "%s is not a url", e.url.name)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		e.wrong(e.url.value.at, "%s is not an http or https url", e.url.name)
	}
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(e.s.Header)) {
		v, key := e.s.Header[name], http.CanonicalHeaderKey(name)
		if first, again := seen[key]; again { // which of them counts would be anybody's guess
			e.wrong(e.at, "duplicate header %s, also as %s", name, first)
		}
		seen[key] = name
		if !isToken(name) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			e.wrong(e.at, "%q is not a valid header, or its value is not", leadingToken(name))
		}
	}
}

// leadingToken returns the beginning of a name that is a token: the rest may be the value.
func leadingToken(name string) string {
	n := 0
	for n < len(name) && isToken(name[:n+1]) {
		n++
	}
	if n < len(name) {
		return brief(name[:n]) + "…"
	}
	return brief(name)
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
