package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// meta is the envelope of each request.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"crowd","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// people are the clients of all parties.
type people struct {
	settings
	url    string
	web    *http.Client
	states []string      // the requestState of each parked call
	keys   []string      // of the question of each
	had    []atomic.Bool // whether the answer of each is in a result
	conns  []net.Conn    // of the subscriptions
	told   chan struct{} // receives for each notification
	closed sync.WaitGroup
}

// crowd does the steps on standard input, line by line.
func crowd(url string, s settings) error {
	p := &people{
		settings: s, url: url, web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: s.workers}, Timeout: 5 * time.Minute},
		states: make([]string, s.n), keys: make([]string, s.n), had: make([]atomic.Bool, s.n), conns: make([]net.Conn, s.n), told: make(chan struct{}, s.n),
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		said, err := p.step(in.Text())
		if err != nil {
			return err
		}
		fmt.Println(said)
	}
	return nil
}

// step does one step, and returns how long it took.
func (p *people) step(name string) (said string, err error) {
	begin := time.Now()
	var each []time.Duration
	switch name {
	case "meet":
		_, err = p.all(p.parties, func(i int) error { _, err := p.post(i, "tools/list", "", ""); return err })
	case "park":
		each, err = p.all(p.n, p.park)
		p.web.CloseIdleConnections()
	case "answer":
		each, err = p.all(p.n, p.answer)
		p.web.CloseIdleConnections()
	case "listen":
		each, err = p.all(p.n, p.listen)
	case "write":
		each, err = p.all(p.parties, func(i int) error { _, err := p.post(i, "tools/call", "write", ""); return err })
		for range p.n {
			if err == nil {
				select {
				case <-p.told:
				case <-time.After(time.Minute):
					err = errors.New("not all are told")
				}
			}
		}
		p.web.CloseIdleConnections()
	case "leave":
		for _, c := range p.conns {
			err = errors.Join(err, c.Close())
		}
		p.closed.Wait()
	}
	said = time.Since(begin).Round(time.Millisecond).String()
	if len(each) > 0 {
		slices.Sort(each)
		said += fmt.Sprintf(", half within %s, 99%% within %s", each[len(each)/2].Round(100*time.Microsecond), each[len(each)*99/100].Round(100*time.Microsecond))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return said, err
}

// all does n things, as many at a time as there are workers, and returns the duration of each.
func (p *people) all(n int, f func(i int) error) ([]time.Duration, error) {
	var wait sync.WaitGroup
	each, errs, next := make([]time.Duration, n), make([]error, n), make(chan int)
	for range min(p.workers, n) {
		wait.Go(func() {
			for i := range next {
				begin := time.Now()
				errs[i] = f(i)
				each[i] = time.Since(begin)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return each, nil
}

// request returns the headers and the body of a request of a client.
func (p *people) request(i int, method, name, params string) (http.Header, string) {
	h := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "User": {fmt.Sprint("party ", i%p.parties)},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
	}
	if name != "" {
		h.Set("Mcp-Name", name)
		params = `"name":"` + name + `",` + params
	}
	return h, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s%s}}`, i, method, params, meta)
}

// post makes a request, and returns its result.
func (p *people) post(i int, method, name, params string) (string, error) {
	h, body := p.request(i, method, name, params)
	r, err := http.NewRequest(http.MethodPost, p.url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header = h
	a, err := p.web.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = a.Body.Close() }()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(b) { // of an answer, or of a stream of events
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: "))
		if result, ok := rawjson.Get(string(line), "result"); ok {
			return result, nil
		}
	}
	return "", fmt.Errorf("%s %s is answered %s %s", method, name, a.Status, b)
}

// park makes a call whose result is a question.
func (p *people) park(i int) error {
	result, err := p.post(i, "tools/call", "ask", "")
	if err != nil {
		return err
	}
	p.states[i], _ = rawjson.Get(result, "requestState")
	asked, _ := rawjson.Get(result, "inputRequests")
	if _, rest, ok := strings.Cut(asked, `"`); ok {
		p.keys[i], _, _ = strings.Cut(rest, `"`) // one question, whose key needs no escapes
	}
	if p.states[i] == "" || p.keys[i] == "" {
		return fmt.Errorf("call %d asks nothing: %s", i, result)
	}
	return nil
}

// answer repeats the call. The result has the answer of a client of the same party: a server with sessions does
// not say within which of the calls of a party it asks.
func (p *people) answer(i int) error {
	result, err := p.post(i, "tools/call", "ask", fmt.Sprintf(`"requestState":%s,"inputResponses":{"%s":{"action":"accept","content":{"n":%d}}},`, p.states[i], p.keys[i], i))
	if err != nil {
		return err
	}
	var of int
	if _, rest, ok := strings.Cut(result, `\"n\":`); ok {
		_, err = fmt.Sscanf(rest, "%d", &of)
	}
	if err != nil || of%p.parties != i%p.parties || p.had[of].Swap(true) {
		return fmt.Errorf("call %d is answered %s", i, result)
	}
	return nil
}

// listen opens a subscription on its own connection, and waits until it is acknowledged.
func (p *people) listen(i int) error {
	at, err := url.Parse(p.url)
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", at.Host)
	if err != nil {
		return err
	}
	p.conns[i] = c
	h, body := p.request(i, "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["`+note+`"]},`)
	var text bytes.Buffer
	fmt.Fprintf(&text, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", at.Host, len(body))
	if err := h.Write(&text); err != nil {
		return err
	}
	text.WriteString("\r\n" + body)
	if _, err := c.Write(text.Bytes()); err != nil {
		return err
	}
	lines := bufio.NewScanner(c)
	if err := until(lines, "notifications/subscriptions/acknowledged"); err != nil {
		return err
	}
	p.closed.Go(func() {
		if until(lines, "notifications/resources/updated") == nil {
			p.told <- struct{}{}
		}
		for lines.Scan() { // to its end
		}
	})
	return nil
}

// until reads lines up to one with the text.
func until(lines *bufio.Scanner, text string) error {
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return nil
		}
		if strings.HasPrefix(lines.Text(), "HTTP/1.1 ") && !strings.Contains(lines.Text(), " 200 ") {
			return errors.New(lines.Text())
		}
	}
	return errors.Join(lines.Err(), io.ErrUnexpectedEOF)
}
