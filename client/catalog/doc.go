// Package catalog holds what an application decides about what servers list. It does no I/O.
//
// A Filter says which tools, prompts, resources and templates of a server there are. Whoever uses
// one drops what does not pass before names are given out, and answers requests for it as for an
// item that does not exist.
package catalog
