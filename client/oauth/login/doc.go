// Package login drives a Flow of package client/oauth: it sends the requests, opens the page of the
// authorization server, listens for the redirect, and authorizes the requests of package client/remote.
// It does I/O, so no pure package imports it.
//
// # Loop
//
// A [Runner] is for one principal at one server:
//
//	r, err := login.New(oauth.Config{Name: "My program"}, server, login.Options{})
//	…
//	defer r.Close()
//	t, err := remote.New(server, remote.Options{Auth: r})
//
// In a program with many users a request cannot wait for a person. A Runner that is Detached returns
// a [PersonError] with the page instead, and continues when Returned gets the answer:
//
//	http.HandleFunc("/callback", func(w http.ResponseWriter, req *http.Request) {
//		r := byState(req.FormValue("state")) // of PersonError.Page
//		err := r.Returned(req.Context(), req.URL.RawQuery)
//		…
//	})
//
// # Contract
//
//   - One run at a time serves all waiting requests; each of them waits until its own context ends.
//     When the last one leaves, a request in flight is finished, so that its token is not lost; then
//     the run ends. A Detached run ends only by its deadline.
//   - Requests have time limits, bounded responses and no cookies, follow no redirects, and connect
//     only to addresses that HTTPRequest.Reach allows, whatever a name resolves to (SEC-104, SEC-105).
//   - A Detached run leaves its login in Options.Store while it waits for its person. Any Runner with the
//     same key and Config can continue it with the answer, but only one does; the others have the token
//     within a second, for requests that need it.
//   - While a person is at the page, and at most 1 s longer, the Runner listens for the redirect on this
//     machine. It accepts one answer, at the path, by GET, with the right host and the state of the run;
//     the page that it shows is always the same (SEC-110).
//   - After Close no goroutine of the Runner runs.
//
// # Not promised
//
// The texts of errors and of the page.
package login
