// Package login carries out the runs of a Flow of package client/oauth: it makes the requests, opens the
// page of the authorization server, listens for the redirect, and authorizes the requests of package
// client/remote. It does I/O, so nothing pure imports it.
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
//   - There is one run at a time, whatever number of requests waits for it, and each of them waits no
//     longer than its own context. When the last one leaves, a request that is under way is finished,
//     so that no token of it gets lost; then the run ends. A Detached run ends by its time alone.
//   - Requests have time limits, bounded answers and no cookies, follow no redirects, and connect to no
//     address that Call.Reach does not allow, whatever its name resolves to (SEC-104, SEC-105).
//   - A Detached run leaves its login in Options.Store while its person is away. Whichever Runner of the same key and
//     Config gets the answer goes on with it, and one of them only; the others have the token within a second, for requests
//     that want it.
//   - The redirect to this machine is listened for while a person is at the page, and no longer than
//     1 s more. One answer is taken, at the path, by GET, with the name of the host and the state of the
//     run; the page that it shows is always the same (SEC-110).
//   - After Close no goroutine of the Runner runs.
//
// # Not promised
//
// The texts of errors and of the page.
package login
