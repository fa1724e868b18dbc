package worlds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A client without a session before a Relay, and servers without sessions behind a Manager.

// held is a call that the client must repeat.
type held struct {
	op, round uint64 // the numbers in the requestState
	state     string
	questions []uint64  // by their keys, or by the round in which a server without sessions asked
	what      uint8     // ropCallA, ropCallB
	used      bool      // the client has repeated it
	since     time.Time // when the client got it
}

// envelope is the envelope of a request without a session.
const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}`

// askedFor reads the result of a call that asks; false for another result.
func askedFor(what uint8, m *jsonrpc.Message) (h held, ok bool) {
	body := string(m.Body)
	if rawjson.Text(body, "resultType") != protocol.ResultInputRequired {
		return h, false
	}
	h.what, h.state = what, rawjson.Text(body, "requestState")
	_, numbers, _ := strings.Cut(h.state, ".")
	if _, err := fmt.Sscanf(numbers, "%d.%d", &h.op, &h.round); err != nil {
		panic(err)
	}
	requests, _ := rawjson.Get(body, "inputRequests")
	o, _ := rawjson.Members(requests)
	for key, asked, more := o.Next(); more; key, asked, more = o.Next() {
		if key == inputKey {
			key = textIn(asked)
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(key, "q"), 10, 64)
		if err != nil {
			panic(err)
		}
		h.questions = append(h.questions, n)
	}
	return h, true
}

// again lets the client repeat a call, with the answers or without.
func (x *relayScope) again(w relayed, a explore.Action, r *explore.Report) relayed {
	h := w.held[a.Arg]
	answers := ""
	for _, n := range h.questions {
		key := fmt.Sprintf("q%d", n)
		if x.modern {
			key = inputKey
		}
		answers += fmt.Sprintf(`,%q:{"role":"assistant","content":{"type":"text","text":"%d"},"model":"m"}`, key, n)
	}
	if a.Op == ropEmpty {
		answers = ""
	}
	if w.held = slices.Delete(w.held, int(a.Arg), int(a.Arg)+1); !h.used && x.on[ropTwice] {
		h.used = true
		w.held = slices.DeleteFunc(w.held, func(h held) bool { return h.used }) // of one the most
		w.held = append(w.held, h)
	}
	w.next++
	w.reqs = append(w.reqs, rreq{id: w.next, what: h.what, since: w.net.now})
	return x.says(w, r, `"id":%d,"method":"tools/call","params":{"name":%q,"requestState":%q,"inputResponses":{%s},%s}`,
		w.next, relayTools[h.what-ropCallA], h.state, strings.TrimPrefix(answers, ","), envelope)
}

// parked returns the upper bound of parked calls.
func (w *relayed) parked() (n int) {
	for _, h := range w.held {
		if !h.used {
			n++
		}
	}
	return n
}

// asking returns the number of open questions of servers.
func (w *relayed) asking() (n int) {
	for i := range w.net.links {
		n += len(w.net.links[i].asks)
	}
	return n
}

// unheard checks that no server waits forever for an idle client.
func (x *relayScope) unheard(w relayed, r *explore.Report) {
	for range 20 {
		if _, ok := x.deadline(&w); !ok || w.asking() == 0 {
			break
		}
		w, _ = x.step(w, explore.Action{Op: ropTime}, quiet)
	}
	if n := w.asking(); n > 0 {
		r.Fail("%d questions of servers are never answered", n)
	}
}

const dualFound = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"ttlMs":0,"cacheScope":"private"}`

// maxRounds is how often a server without sessions asks within a call.
const maxRounds = 2

// inputKey is the key of all questions of a server without sessions.
const inputKey = "k"

// input returns the result of a call by which a server without sessions asks in a round. The question names the round, and
// so does its answer.
func input(round uint64) string {
	return fmt.Sprintf(`{"resultType":"input_required","requestState":"%d","inputRequests":{%q:{"method":"sampling/createMessage","params":`+
		`{"messages":[{"role":"user","content":{"type":"text","text":"%[1]d"}}],"maxTokens":1}}}}`, round, inputKey)
}

// textIn returns the text of the first content in a question or an answer.
func textIn(body string) string {
	_, text, _ := strings.Cut(body, `"text":"`)
	text, _, _ = strings.Cut(text, `"`)
	return text
}

// answersOf returns the round whose answers a request to a server without sessions has, 0 for none. An answer
// must be the one to its question.
func answersOf(m *jsonrpc.Message, r *explore.Report) (round uint64) {
	state := rawjson.Text(string(m.Body), "requestState")
	if state == "" {
		return 0
	}
	round, _ = strconv.ParseUint(state, 10, 64)
	if answers, _ := rawjson.Get(string(m.Body), "inputResponses"); textIn(answers) != state {
		r.Fail("a question of round %s is answered by %s", state, answers)
	}
	return round
}

// complete returns a result in the form of a server without sessions.
func complete(method, body string) string {
	more := `{"resultType":"complete",`
	if method == protocol.MethodToolsList {
		more += `"ttlMs":0,"cacheScope":"private",`
	}
	return more + strings.TrimPrefix(body, "{")
}

// listening returns how many subscriptions are open at a server.
func (l *mlink) listening() (n int) {
	for _, q := range l.reqs {
		if q.method == protocol.MethodListen {
			n++
		}
	}
	return n
}

// ends reports whether an operation of a link ends a subscription.
func (l *mlink) ends(op uint8, arg int) bool {
	return op >= mopReply && op <= mopResponseLost && l.reqs[arg>>mopMost].method == protocol.MethodListen
}

// hears checks that the client listens to a server without sessions, with the requested filter, some time after the server answers
// again.
func (x *managerScope) hears(w managed, r *explore.Report) {
	calm := *x
	order := []uint8{mopOpened, mopFound, mopAck, mopReply, mopClosed, mopTime}
	calm.on = [managerOps]bool{}
	for _, op := range order {
		calm.on[op] = true
	}
	for range 40 {
		acts := calm.actions(nil, &w)
		acts = slices.DeleteFunc(acts, func(a explore.Action) bool { // subscriptions stay open
			return a.Op >= mopOpened && w.links[int(a.Arg)&(1<<mopMost-1)].ends(a.Op, int(a.Arg))
		})
		next := soonest(acts, order)
		if next < 0 {
			break
		}
		w, _ = calm.step(w, acts[next], quiet)
	}
	for _, name := range x.names {
		c, ok := w.m.Client(name)
		l, _ := w.m.Link(name)
		if at := w.link(l.Epoch); ok && c.Phase() == lifecycle.Ready && c.Revision().Stateless() && at != nil && at.listening() != 1 {
			r.Fail("a server has %d subscriptions", at.listening())
		}
	}
}
