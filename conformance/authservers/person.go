package authservers

import (
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Person is a person with a password.
type Person struct{ name, password string }

// Login opens a page and fills in each page, until the browser is sent to redirect. It returns the query
// of that. The browser needs cookies, and must not follow redirects.
func (p Person) Login(browser *http.Client, page, redirect string) (query string, err error) {
	next, err := http.NewRequest(http.MethodGet, page, nil)
	for range 20 {
		if err != nil {
			return "", err
		}
		at := next.URL
		status, location, text, err := get(browser, next)
		if err != nil {
			return "", err
		}
		var form url.Values
		switch {
		case status == http.StatusOK:
			location, form = p.fill(text)
		case location == "":
			return "", fmt.Errorf("%s: %d %s", at, status, text)
		}
		to, err := at.Parse(location)
		if err != nil {
			return "", err
		}
		if query, ok := strings.CutPrefix(to.String(), redirect+"?"); ok {
			return query, nil
		}
		next, err = follow(to.String(), form)
		if err != nil {
			return "", fmt.Errorf("%s: %w: %s", at, err, text)
		}
	}
	return "", errors.New("the pages never end")
}

// get makes a request, and returns the response.
func get(browser *http.Client, r *http.Request) (status int, location, text string, err error) {
	a, err := browser.Do(r)
	if err != nil {
		return 0, "", "", err
	}
	defer func() { _ = a.Body.Close() }()
	body, err := io.ReadAll(a.Body)
	return a.StatusCode, a.Header.Get("Location"), string(body), err
}

// follow returns the request for a redirect or a form.
func follow(to string, form url.Values) (*http.Request, error) {
	switch {
	case form == nil:
		return http.NewRequest(http.MethodGet, to, nil)
	case len(form) == 0:
		return nil, errors.New("no form")
	}
	r, err := http.NewRequest(http.MethodPost, to, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, err
}

var (
	formed = regexp.MustCompile(`(?is)<form\b([^>]*)>(.*?)</form>`)
	input  = regexp.MustCompile(`(?is)<input\b([^>]*)>`)
	attr   = regexp.MustCompile(`(?is)\b(name|value|action)="([^"]*)"`)
)

// fill returns the action of the first form of a page, and the values that the person enters.
func (p Person) fill(page string) (action string, form url.Values) {
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
