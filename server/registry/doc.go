// Package registry holds named groups of tools, resources, templates and prompts as immutable
// values: a host switches, replaces and scopes them while sessions run. It does no I/O.
//
// # Loop
//
// A Group has tools, resources and prompts under one name, a Registry the groups of one scope, a
// View what a session is offered. The host keeps the newest value, and its sessions follow:
//
//	files, err := registry.NewGroup(registry.Definition{Name: "files", Handlers: h})
//	r, err := registry.FromGroups(files, search)
//	cfg := r.View().Config(server.Config{Info: info})       // Catalog, Serve, ListChanged
//	opt.Companion = func(server.Peer) server.Companion { return registry.Follow(view.Load) }
//	…
//	r, change, err = r.SetEnabled("search", false)
//	view.Store(r.View())                                    // then StepNow or StepAll of the driver
//
// Scopes are the groups that all sessions share, and those of each: its View is what a session is
// offered, its own groups first, then the shared ones whose names it does not have itself. A
// session may also speak to one group alone: Scopes.Offered finds it, Group.Config is its Config.
// docs/examples/desk does both.
//
// Follow returns the server.Companion that gives each call of a tool its time, and ends the calls of
// groups that are taken away.
//
// # Contract
//
//   - No value here is ever changed. A method that changes something returns the next value
//     first; an error leaves everything as it was. A nil *Registry has no groups.
//   - Groups have an order, that of their registration, and keep their place when they are
//     replaced. If two groups define the same name, the first wins; View.Tools shows the others.
//   - A group keeps its switch when it is replaced, unless its Definition says otherwise.
//   - A change reaches a ready session as one list_changed for each list that really differs:
//     State.SetCatalog sees to that.
//   - Views share what they have in common: 10,000 sessions that share groups hold their tools
//     once, and a change costs a session what it has of its own.
//   - Time is an argument, as everywhere in this module; functions are run by the driver.
//
// # Not promised
//
// The wording of errors.
package registry
