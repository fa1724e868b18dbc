// Package store keeps what programs know of authorization: a Record of package client/oauth by key, in memory
// or in files, so that a person logs in once and not at each start. It does I/O, so nothing pure imports it.
//
// # Loop
//
// A login.Runner does it for its principal and server:
//
//	kept, err := store.NewFiles(filepath.Join(folder, "my-program"))
//	…
//	r, err := login.New(oauth.Config{}, server, login.Options{Store: kept})
//
// A refresh token is good for one use. Its user has the key locked from Load to Save, so that all
// others, in other processes too, find the next one (SEC-112):
//
//	unlock, err := kept.Lock(ctx, key)
//	…
//	defer unlock()
//	rec, version, err := kept.Load(ctx, key)
//	… // unless rec has another token by now
//	version, err = kept.Save(ctx, key, renewed, version)
//
// # Contract
//
//   - Save keeps a Record only if no other was saved since Load; else it returns ErrChanged.
//   - Files are readable by their owner alone, in a folder that is (AUTH-037). A process that dies while it
//     saves leaves the old Record or the new one, and its locks end with it.
//   - A Record has at most 256 KiB.
//
// # Not promised
//
// The names and the contents of files. They have secrets in clear text: a program that has a better place,
// such as a keyring, implements Store with it.
package store
