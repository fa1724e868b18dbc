package authservers

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// person is somebody with a browser and a password.
type person struct {
	browser        *http.Client
	name, password string
}

// login opens a page and does what is asked for on each, until the browser is sent to redirect. It
// returns the query of that.
func (p person) login(t *testing.T, page, redirect string) string {
	t.Helper()
	next, err := http.NewRequest(http.MethodGet, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		at := next.URL
		a, err := p.browser.Do(next)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		var form url.Values
		action := a.Header.Get("Location")
		switch {
		case a.StatusCode == http.StatusOK:
			action, form = p.fill(string(text))
		case action == "":
			t.Fatalf("%s: %d %s", at, a.StatusCode, text)
		}
		to, err := at.Parse(action)
		if err != nil {
			t.Fatal(err)
		}
		if query, ok := strings.CutPrefix(to.String(), redirect+"?"); ok {
			return query
		}
		if form == nil {
			next, err = http.NewRequest(http.MethodGet, to.String(), nil)
		} else if len(form) > 0 {
			next, err = http.NewRequest(http.MethodPost, to.String(), strings.NewReader(form.Encode()))
			next.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		} else {
			t.Fatalf("%s: no form: %s", at, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the pages never end")
	return ""
}

var (
	formed = regexp.MustCompile(`(?is)<form\b([^>]*)>(.*?)</form>`)
	input  = regexp.MustCompile(`(?is)<input\b([^>]*)>`)
	attr   = regexp.MustCompile(`(?is)\b(name|value|action)="([^"]*)"`)
)

// fill returns where the first form of a page goes, and what the person writes into it.
func (p person) fill(page string) (action string, form url.Values) {
	form = url.Values{}
	found := formed.FindStringSubmatch(page)
	if found == nil {
		return "", form
	}
	for _, in := range input.FindAllStringSubmatch(found[2], -1) {
		a := attrs(in[1])
		switch a["name"] {
		case "":
		case "username", "login":
			form.Set(a["name"], p.name)
		case "password":
			form.Set(a["name"], p.password)
		default:
			form.Set(a["name"], a["value"])
		}
	}
	return attrs(found[1])["action"], form
}

func attrs(tag string) map[string]string {
	m := map[string]string{}
	for _, a := range attr.FindAllStringSubmatch(tag, -1) {
		m[strings.ToLower(a[1])] = html.UnescapeString(a[2])
	}
	return m
}
