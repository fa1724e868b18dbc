// Package login drives a Flow of package client/oauth: it makes the requests, opens the page of the
// authorization server, listens for the redirect, and authorizes the requests of package client/remote.
// It does I/O; no pure package imports it.
//
// # Loop
//
// A [Runner] is one principal at one server:
//
//	r, err := login.New(oauth.Config{Name: "My program"}, server, login.Options{})
//	…
//	defer r.Close()
//	t, err := remote.New(server, remote.Options{Auth: r})
//
// In a program that many people use a request cannot wait for one of them. A Runner that is Detached
// returns a [PersonError] then, with the page, and goes on when its answer comes to Returned:
//
//	http.HandleFunc("/callback", func(w http.ResponseWriter, req *http.Request) {
//		r := byState(req.FormValue("state")) // of PersonError.Page
//		err := r.Returned(req.Context(), req.URL.RawQuery)
//		…
//	})
//
// # Contract
//
//   - There is one run at a time for all waiting requests, and each waits until its own context ends.
//     When none waits any longer, an open request is finished, so that its token is not lost; then
//     the run ends. A Detached run ends only by its timeout.
//   - Requests have time limits, bounded answers and no cookies, follow no redirects, and connect to no
//     address that Call.Reach does not allow, whatever its name resolves to (SEC-104, SEC-105).
//   - A Detached run keeps its login in Options.Store while its person is away. Exactly one Runner of the same key
//     and Config continues it, the one that gets the answer; the others use the token within a second.
//   - The Runner listens for the redirect while a person is at the page, and at most 1 s longer. It
//     accepts one answer, at its path, by GET, with its Host and the state of the run; the page that it
//     shows is constant (SEC-110).
//   - After Close no goroutine of the Runner runs.
//
// # Not promised
//
// The texts of errors and of the page.
package login
