package gateway

import (
	"encoding/json"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// MarshalJSON returns the Status as an object. Texts of servers and clients are as in WriteTo.
func (st Status) MarshalJSON() ([]byte, error) {
	type link struct {
		Name     string    `json:"name"`
		State    string    `json:"state"`
		Since    time.Time `json:"since,omitzero"`
		Revision string    `json:"revision,omitempty"`
		Pending  int       `json:"pending"`
		Opens    uint64    `json:"opens"`
		Misses   int       `json:"misses,omitempty"`
		RetryAt  time.Time `json:"retryAt,omitzero"`
		Error    string    `json:"error,omitempty"`
	}
	type client struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	type session struct {
		Number    uint64    `json:"number"`
		Kind      string    `json:"kind"`
		Since     time.Time `json:"since"`
		Client    client    `json:"client"`
		Revision  string    `json:"revision,omitempty"`
		Phase     string    `json:"phase"`
		Calls     int       `json:"calls"`
		Questions int       `json:"questions"`
		Waiting   int       `json:"waiting"`
		Ending    bool      `json:"ending"`
		Resting   bool      `json:"resting"`
		Servers   []link    `json:"servers"`
	}
	type server struct {
		Name   string         `json:"name"`
		States map[string]int `json:"states"` // how many sessions have it in each condition
	}
	out := struct {
		At       time.Time `json:"at"`
		Servers  []server  `json:"servers"`
		Notes    []string  `json:"notes,omitempty"`
		Sessions []session `json:"sessions"`
	}{At: st.At, Servers: []server{}, Sessions: []session{}}
	for _, name := range st.Servers {
		s := server{clean(name), map[string]int{}}
		for state, n := range st.states(name) {
			s.States[state.String()] = n
		}
		out.Servers = append(out.Servers, s)
	}
	for _, note := range st.Notes {
		out.Notes = append(out.Notes, clean(note))
	}
	for _, x := range st.Sessions {
		s := session{
			Number: x.Number, Kind: x.Kind, Since: x.Since, Client: client{clean(x.Client.Name), clean(x.Client.Version)}, Revision: revision(x.Revision),
			Phase: x.Phase.String(), Calls: x.Calls, Questions: x.Asked, Waiting: x.Waiting, Ending: x.Ending, Resting: x.Resting, Servers: []link{},
		}
		for _, l := range x.Servers {
			is := link{
				Name: clean(l.Link.Server), State: l.Condition.String(), Since: l.Since, Revision: revision(l.Revision), Pending: l.Pending,
				Opens: l.ReadyCount, Misses: l.Misses, RetryAt: l.RetryAt,
			}
			if l.Err != nil {
				is.Error = clean(l.Err.Error())
			}
			s.Servers = append(s.Servers, is)
		}
		out.Sessions = append(out.Sessions, s)
	}
	return json.Marshal(out)
}

func revision(r protocol.Revision) string {
	if r == (protocol.Revision{}) {
		return ""
	}
	return r.String()
}
