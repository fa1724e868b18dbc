// Package registry holds named groups of tools, resources, templates and prompts as immutable
// values: a host switches, replaces and scopes them while sessions run. It does no I/O.
//
// # Loop
//
// A Server is a named group, a Registry the groups of one scope, a View what a session is
// offered. The host keeps the newest value, and gives its View to the sessions:
//
//	files, err := registry.NewGroup(registry.Definition{Name: "files", Handlers: h})
//	r, err := registry.FromGroups(files, search)
//	cfg := r.View().Config(server.Config{Info: info})       // Catalog, Serve, ListChanged
//	…
//	r, change, err = r.SetEnabled("search", false)
//	s, out, err = s.SetCatalog(now, r.View().Catalog())     // or host.Host.Replace(r.View().Handlers())
//
// Sessions and Globals are the scopes: groups of one session, and groups of all. A session is
// offered its own first, then the global ones whose names it does not have itself. Scopes is
// both, with what changes for whom; Hub adds what a host does with a live session.
//
// CallDeadlines stands beside a State: it gives each call of a tool its time, cancels the calls of groups
// that are taken away, and counts the answers that come after that. Invocations does the same
// for tools that the host calls by name, without a session.
//
// # Contract
//
//   - No value here is ever changed. A method that changes something returns the next value
//     first; an error leaves everything as it was. A nil *Registry has no groups.
//   - Groups have an order, that of their registration, and keep their place when they are
//     replaced. Of two things of one name the first group's is offered; Tools shows the others.
//   - A group keeps its switch when it is replaced, unless its Definition says otherwise.
//   - A change reaches a ready session as one list_changed for each list that really differs:
//     State.SetCatalog sees to that.
//   - Views share what they have in common: 10,000 sessions over one Globals hold its tools
//     once, and a change costs a session what it has of its own.
//   - Time is an argument, as everywhere in this module; functions are run by the driver.
//
// # Not promised
//
// The wording of errors.
package registry
