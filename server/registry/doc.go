// Package registry holds named groups of tools, resources, templates and prompts as immutable
// values, which a program can switch, replace and scope while sessions run. It does no I/O.
//
// # Loop
//
// A Group has tools, resources and prompts under one name, a Registry has the groups of one scope,
// and a View is what a session is offered. The program keeps the newest value, and its sessions
// follow:
//
//	files, err := registry.NewGroup(registry.Definition{Name: "files", Handlers: h})
//	r, err := registry.FromGroups(files, search)
//	cfg := r.View().Config(server.Config{Info: info})       // Catalog, Serve, ListChanged
//	opt.Companion = func(server.Peer) server.Companion { return registry.Follow(view.Load) }
//	…
//	r, change, err = r.SetEnabled("search", false)
//	view.Store(r.View())                                    // then StepNow or StepAll of the driver
//
// Scopes hold the groups that all sessions share, and those of each session: a View has its own
// groups first, then the shared ones with other names. A session may also use one group alone:
// Scopes.Offered finds it, Group.Config is its Config. docs/examples/desk does both.
//
// Follow returns the server.Companion that gives each call of a tool its timeout, and ends the calls
// of removed groups.
//
// # Contract
//
//   - All values are immutable. A method that changes something returns the next value first; an
//     error leaves everything unchanged. A nil *Registry has no groups.
//   - Groups are in the order of registration, and keep their place when they are replaced. If two
//     groups define the same name, the first wins; View.Tools shows the others.
//   - A replaced group stays on or off, unless its Definition says otherwise.
//   - A change reaches a ready session as one list_changed for each changed list, by
//     State.SetCatalog.
//   - Views share common data: 10,000 sessions that share groups hold their tools once, and the
//     cost of a change for a session depends on its own groups.
//   - Time is an argument; the driver runs functions.
//
// # Not promised
//
// The wording of errors.
package registry
