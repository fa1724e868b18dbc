// Package officialschema holds lines that a State emits to the official JSON schema of
// the revision that is spoken. It is for tests.
//
// A [Book] is the schema of one revision, compiled. [Book.Check] finds the definition of
// a line by what the line is: a request or a notification by its method, a result by the
// method that it answers, and an error as such; the envelope is checked beside it. A
// [Watcher] follows one State through its steps and knows revisions and methods. A
// [Tally] counts which definitions came up.
package officialschema
