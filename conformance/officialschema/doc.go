// Package officialschema checks lines that a State emits against the official JSON schema of
// the negotiated revision. It is for tests.
//
// A [Book] is the compiled schema of one revision. [Book.Check] finds the definition of
// a line by its kind: a request or a notification by its method, a result by the
// method that it answers, and an error as such; it also checks the envelope. A
// [Watcher] follows one State through its steps and knows revisions and methods. A
// [Tally] counts which definitions occurred.
package officialschema
