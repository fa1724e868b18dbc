// Package registry has named groups of tools, resources, templates and prompts as immutable values:
// a host switches, replaces and scopes them while sessions run. It does no I/O.
//
// # Loop
//
// A Group has tools, resources and prompts under one name, a Registry the groups of one scope, and
// a View what a session is offered. The host keeps the newest value, and its sessions follow:
//
//	files, err := registry.NewGroup(registry.Definition{Name: "files", Handlers: h})
//	r, err := registry.FromGroups(files, search)
//	cfg := r.View().Config(server.Config{Info: info})       // Catalog, Serve, ListChanged
//	opt.Companion = func(server.Peer) server.Companion { return registry.Follow(view.Load) }
//	…
//	r, change, err = r.SetEnabled("search", false)
//	view.Store(r.View())                                    // then StepNow or StepAll of the driver
//
// Scopes have the groups that all sessions share, and the groups of each session. The View of a
// session has its own groups first, then the shared ones with other names. A session may also use a
// single group: Scopes.Offered finds it, Group.Config is its Config. docs/examples/desk does both.
//
// Follow returns the server.Companion that gives each call of a tool its deadline, and ends the
// calls of groups that are no longer offered.
//
// # Contract
//
//   - No value here is ever changed. A method that changes something returns the next value
//     first; after an error everything is as before. A nil *Registry has no groups.
//   - Groups are in the order of their registration, and keep their place when they are
//     replaced. If two groups define the same name, the first wins; View.Tools shows the others.
//   - A group keeps its switch when it is replaced, unless its Definition says otherwise.
//   - A change reaches a ready session as one list_changed for each list that really differs:
//     State.SetCatalog compares them.
//   - Views share what they have in common: 10,000 sessions that share groups have their tools
//     once in memory, and a change costs a session time in proportion to its own groups.
//   - Time is an argument, as everywhere in this module; functions are run by the driver.
//
// # Not promised
//
// The wording of errors.
package registry
