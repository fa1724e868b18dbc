// Package table is the table of pending requests: a persistent map from 64-bit
// keys to values with a deadline each.
//
// It is a path-compressed 8-way trie. A change copies the nodes between the
// root and the entry and shares the rest, so every version stays valid and
// costs little. Every node knows the earliest deadline below it: the next one
// due is read in constant time, and a sweep goes only where something is due. The entry
// that was put last lies beside the trie and enters it with the next one: what is over
// before that copies no node.
//
// # Loop
//
// Keep the table in a struct field and assign what the methods return:
//
//	c.pending = c.pending.Put(id, deadline, request) // a request goes out
//	c.pending, leaf = c.pending.Delete(id)           // its answer came
//	c.pending, due = c.pending.Expire(now)           // time passed
//	wake := c.pending.Min()                          // when to call Expire next
//
// # Contract
//
//   - No method changes the table it is called on, nor any other version.
//   - The shape of the trie depends only on its keys. Which entry lies beside it
//     depends on the history; no method tells.
//   - After Expire(now), Min() is later than now.
//   - Expire returns entries by deadline and then key, All by key.
//   - No choice of keys makes the trie deeper than 22 levels.
//   - Len and Min take constant time. Get, Put and Delete visit one node per
//     level; Put allocates one leaf and one node per level.
//   - An Index tells apart texts of one hash, in time proportional to how many
//     there are. Use a key that nobody knows if a peer chooses the texts.
//
// # Not promised
//
// The package is there for the other packages of this module. It makes no
// promise of compatibility between versions. Values are held as they are: what
// a pointer in a value points to is the caller's to leave alone.
package table
