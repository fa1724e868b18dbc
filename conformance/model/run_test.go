package model_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

var seeds = flag.Int("seeds", 60, "random runs of each kind")

// TestSeeds runs machines of both roles next to the naive ones, without the shrinking and
// the overhead of rapid, and shows that such runs reach everything.
func TestSeeds(t *testing.T) {
	n := *seeds
	if testing.Short() {
		n /= 3
	}
	seen := map[string]int{}
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for seed := range 2 * n {
			src := rand.New(rand.NewSource(int64(seed)))
			run, err := model.NewRun(src, model.RandomSetup(src, party), seed%2 == 1)
			if err != nil {
				t.Fatal(err)
			}
			for range 60 {
				if err := run.Step(); err != nil {
					fails(t, err, party, seed)
				}
			}
			if err := run.Close(); err != nil {
				fails(t, err, party, seed)
			}
			for what, n := range run.Seen {
				seen[what] += n
			}
		}
	}
	if testing.Short() {
		return
	}
	for _, what := range census() {
		if seen[what] == 0 {
			t.Errorf("no run saw %q", what)
		}
	}
	if testing.Verbose() {
		for _, what := range slices.Sorted(maps.Keys(seen)) {
			fmt.Println(seen[what], what)
		}
	}
}

// fails ends a test with what did not hold, and prints the transcript of it.
func fails(t *testing.T, err error, of ...any) {
	t.Helper()
	if err := model.Print(os.Stdout, err); err != nil {
		t.Error(err)
	}
	t.Fatal(append(of, err)...)
}

// TestTopics is TestSeeds about the methods with the most rules: many runs,
// compared only with the naive machines.
func TestTopics(t *testing.T) {
	n := 2 * *seeds
	if testing.Short() {
		n /= 2
	}
	seen := map[string]int{}
	for _, topic := range model.Topics() {
		for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
			for seed := range n {
				src := rand.New(rand.NewSource(int64(seed)))
				run, err := model.NewTopicRun(src, topic, party)
				if err != nil {
					t.Fatal(err)
				}
				for range 60 {
					if err := run.Step(); err != nil {
						fails(t, err, party, topic, seed)
					}
				}
				for what, n := range run.Seen {
					seen[what] += n
				}
			}
		}
	}
	if testing.Verbose() {
		for _, what := range slices.Sorted(maps.Keys(seen)) {
			fmt.Println(seen[what], what)
		}
	}
	if testing.Short() {
		return
	}
	for what, floor := range floors {
		if seen[what] < floor {
			t.Errorf("the runs saw %q %d times, want %d", what, seen[what], floor)
		}
	}
}

// floors say how often the runs of TestTopics at least reach what is hard to reach.
var floors = map[string]int{
	"client COMPL-007": 4, "client COMPL-008": 20, "client ELIC-010": 20, "client PROG-009": 80, "client SCHEMA-012": 10,
	"client TOOL-004": 4, "client TOOL-014": 12, "client TOOL-028": 5, "client TOOL-029": 7,
	"client ELIC-107": 150, "client ELIC-114": 300, "client ELIC-120": 50, "client ERR-101": 7, "client ERR-105": 80,
	"client ICON-005": 8, "client TOOL-108": 5, "client SAMP-104": 60, "client SAMP-106": 8, "client SAMP-118": 5, "server SAMP-008": 50, "server SAMP-117": 15, "server SAMP-118": 3,
	"server ELIC-137": 25, "server ERR-101": 5, "server ERR-105": 80, "server sent notifications/elicitation/complete": 12,
	"server ELIC-011": 17, "server PROG-009": 80, "server RES-035": 50, "server TOOL-026": 10, "server TOOL-033": 5,
	"client superseded": 50, "server superseded": 50,
	"client ping of ours after input closed": 1, "server ping of ours after input closed": 1,
	"client initializing, peer silent": 15, "server initializing, peer silent": 10,
	"client ready, peer silent": 7, "server ready, peer silent": 7,
	"client initializing, response lost": 12, "client response lost": 150, "server response lost": 150,
	"client shutting_down": 1000, "server shutting_down": 1000,
	"server sent notifications/resources/updated": 100, "server sent notifications/message": 500, "client progress received": 350, "server progress received": 350,
}

// census lists what must occur in enough random runs.
func census() (list []string) {
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		role := party.String() + " "
		for p := range lifecycle.Failed + 1 {
			list = append(list, role+p.String())
		}
		for op := range verbs.OpNewSession {
			if party == lifecycle.Client || op != verbs.OpInitialize && op != verbs.OpPause {
				list = append(list, role+op.String())
			}
		}
		for kind := lifecycle.RequestReceived; kind <= lifecycle.Downgraded; kind++ {
			if party == lifecycle.Server || kind != lifecycle.Downgraded {
				list = append(list, role+kind.String())
			}
		}
		for _, cause := range []lifecycle.CauseKind{
			lifecycle.CauseCancelled, lifecycle.CauseTimedOut, lifecycle.CauseLost, lifecycle.CauseInputClosed, lifecycle.CauseNotSent,
			lifecycle.CauseAbandoned, lifecycle.CauseShutdown, lifecycle.CauseAborted, lifecycle.CauseInvalidResponse, lifecycle.CausePeerSilent,
		} {
			list = append(list, role+cause.String())
		}
		for _, err := range []error{
			lifecycle.ErrPhase, lifecycle.ErrCapability, lifecycle.ErrGone, lifecycle.ErrLimit, lifecycle.ErrParams, lifecycle.ErrProgress,
		} {
			list = append(list, role+err.Error())
		}
		list = append(list, role+"batch")
	}
	for _, cause := range []lifecycle.CauseKind{
		lifecycle.CauseRefused, lifecycle.CauseUnsupportedRevision, lifecycle.CauseMissingCapability,
	} {
		list = append(list, "client "+cause.String())
	}
	return append(list, "server "+lifecycle.ErrRevision.Error())
}

func TestSetupsAreVaried(t *testing.T) {
	texts := map[string]bool{}
	for seed := range 50 {
		src := rand.New(rand.NewSource(int64(seed)))
		texts[fmt.Sprintf("%+v", model.RandomSetup(src, lifecycle.Server))] = true
	}
	if len(texts) < 45 || strings.Contains(fmt.Sprint(texts), "%!") {
		t.Errorf("%d setups of 50", len(texts))
	}
}
