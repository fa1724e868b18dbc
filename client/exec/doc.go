// Package exec runs calls of tools under a policy: timeouts, retries, batches, limits.
//
// # Loop
//
// # Contract
//
// # Not promised
package exec
