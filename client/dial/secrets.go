package dial

import (
	"net/url"
	"strings"
)

// longest is the length from which an argument or a segment of a path may be a secret: shorter ones are
// words.
const longest = 12

// Secrets returns the possible secrets in the definition: the values of Env, and long arguments that
// are neither flags nor paths. A program such as a gateway removes them from its output.
func (c Command) Secrets() (list []string) {
	for _, v := range c.Env {
		_, value, _ := strings.Cut(v, "=")
		list = append(list, value)
	}
	for i, arg := range c.Args {
		if strings.HasPrefix(arg, "-") {
			_, arg, _ = strings.Cut(arg, "=")
		}
		if i > 0 && len(arg) >= longest && !strings.HasPrefix(arg, "/") && !strings.HasPrefix(arg, ".") {
			list = append(list, arg)
		}
	}
	return list
}

// Secrets returns the possible secrets in the definition: user and password, long segments of the path,
// values of the query and the fragment, and the values of Header and their words.
func (u URL) Secrets() (list []string) {
	if at, err := url.Parse(u.URL); err == nil {
		for _, segment := range append(strings.Split(at.EscapedPath(), "/"), strings.Split(at.Path, "/")...) {
			if len(segment) >= longest {
				list = append(list, segment)
			}
		}
		list = append(list, at.RawQuery, at.Fragment)
		for _, pair := range strings.FieldsFunc(at.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
			_, value, _ := strings.Cut(pair, "=")
			list = append(list, value)
			if plain, err := url.QueryUnescape(value); err == nil {
				list = append(list, plain)
			}
		}
		if at.User != nil {
			password, _ := at.User.Password()
			list = append(list, at.User.Username(), password, at.User.String())
		}
	}
	for _, values := range u.Header {
		for _, v := range values {
			list = append(append(list, v), strings.Fields(v)...)
		}
	}
	return list
}
