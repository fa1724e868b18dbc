// Package store keeps Records of package client/oauth by key, in memory or in files, so that a person need
// not log in again at each start. It does I/O, so no pure package imports it.
//
// # Loop
//
// A login.Runner uses a Store for its principal and server:
//
//	kept, err := store.NewFiles(filepath.Join(folder, "my-program"))
//	…
//	r, err := login.New(oauth.Config{}, server, login.Options{Store: kept})
//
// A refresh token is valid once. Its user locks the key from Load to Save, so that others, in other
// processes too, find the next token (SEC-112):
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
//   - Save keeps a Record only if no other was saved since Load; otherwise it returns ErrChanged.
//   - Only their owner can read the files and their folder (AUTH-037). A process that dies while it saves
//     leaves the old Record or the new one, and its locks end with it.
//   - A Record has at most 256 KiB.
//
// # Not promised
//
// The names and the contents of files. They contain secrets in clear text: a program with a better place,
// such as a keyring, implements Store itself.
package store
