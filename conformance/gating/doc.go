// Package gating asks every method, in every phase, under every capability and in every
// revision, of both roles: who may send it, who answers it, and with what. The
// expectations are stated here a second time, from the specification and not from the
// method table. It has tests only.
package gating
