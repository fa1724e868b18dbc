// Package store keeps Records of package client/oauth by key, in memory or in files, so that a person logs in
// once and not at each start. It does I/O; no pure package imports it.
//
// # Loop
//
// A login.Runner uses it for its principal and server:
//
//	kept, err := store.NewFiles(filepath.Join(folder, "my-program"))
//	…
//	r, err := login.New(oauth.Config{}, server, login.Options{Store: kept})
//
// A refresh token is valid for one use. Its user locks the key from Load to Save, so that others,
// in other processes too, find the next one (SEC-112):
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
//   - Save stores a Record only if no other was saved since Load; otherwise it returns ErrChanged.
//   - Files and their folder are readable only by their owner (AUTH-037). A process that dies while it
//     saves leaves the old Record or the new one, and its locks end with it.
//   - A Record has at most 256 KiB.
//
// # Not promised
//
// The names and the contents of files. They have secrets in clear text: for a better place, such as a
// keyring, implement Store.
package store
