package cluster

import "slices"

// Entry says which process runs the function of a call, has the connection that reads a stream, or is the home of the
// session. An entry with none of these says that a process has died.
type Entry struct {
	Call    uint64 `json:"c,omitempty"` // its number in the session; 0 for none
	Stream  uint64 `json:"s,omitempty"` // its number
	Gen     uint32 `json:"g,omitempty"` // which of the connections that have read the stream
	Home    bool   `json:"h,omitempty"` // the Companion of the session is there
	Process string `json:"p"`           // its id
	Address string `json:"u,omitempty"` // the url of the process; "" if unknown
	At      string `json:"a,omitempty"` // the address where the process writes its id; "" for nowhere
}

// maxBuried bounds the dead processes that a record knows. If one of these wakes up, the records of its sessions
// tell it.
const maxBuried = 8

// Owners are the entries of a record. They are immutable.
type Owners []Entry

// Of returns the entries of a process.
func (o Owners) Of(process string) (list []Entry) {
	for _, e := range o {
		if e.Process == process && e.what() {
			list = append(list, e)
		}
	}
	return list
}

// Unconfirmed returns the entries of a process that it does not have: the turns that removed them
// were lost.
func (o Owners) Unconfirmed(process string, has func(Entry) bool) []Entry {
	return slices.DeleteFunc(o.Of(process), has)
}

// Has reports whether a process has a call, a stream or the home.
func (o Owners) Has(process string) bool {
	return slices.ContainsFunc(o, func(e Entry) bool { return e.Process == process && e.what() })
}

// what reports whether e has a call, a stream or the home.
func (e Entry) what() bool { return e.Call != 0 || e.Stream != 0 || e.Home }

// Home returns the entry of the home of the session; false if it has none.
func (o Owners) Home() (Entry, bool) {
	for _, e := range o {
		if e.Home {
			return e, true
		}
	}
	return Entry{}, false
}

// May reports whether a process may answer a call: it runs its function, or no process has it.
func (o Owners) May(process string, call uint64) bool {
	i := slices.IndexFunc(o, func(e Entry) bool { return e.Call == call })
	return i < 0 || o[i].Process == process
}

// Known reports whether some process has a call.
func (o Owners) Known(call uint64) bool {
	return slices.ContainsFunc(o, func(e Entry) bool { return e.Call == call })
}

// With returns o with one more entry.
func (o Owners) With(e Entry) Owners { return append(o[:len(o):len(o)], e) }

// Only returns the entries for which keep is true, and those of dead processes.
func (o Owners) Only(keep func(e Entry) bool) Owners {
	gone := func(e Entry) bool { return e.what() && !keep(e) }
	if !slices.ContainsFunc(o, gone) {
		return o
	}
	if o = slices.DeleteFunc(slices.Clone(o), gone); len(o) == 0 {
		return nil
	}
	return o
}

// Bury returns o with the entry that a process has died. Its other entries stay until they are
// handled.
func (o Owners) Bury(process string) Owners {
	if o.Buried(process) {
		return o
	}
	n := 0
	for _, e := range o {
		if !e.what() {
			n++
		}
	}
	if n >= maxBuried {
		oldest := slices.IndexFunc(o, func(e Entry) bool { return !e.what() })
		o = slices.Delete(slices.Clone(o), oldest, oldest+1)
	}
	return o.With(Entry{Process: process})
}

// Buried reports whether o says that a process has died.
func (o Owners) Buried(process string) bool {
	return slices.Contains(o, Entry{Process: process})
}
