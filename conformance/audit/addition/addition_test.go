package addition

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// edit inserts a line into the product after a line, or with first before it.
type edit struct {
	file, after, line string
}

// addition is a made-up revision: its edits in addition to the feature file of its method, and the program that
// uses both roles with it.
type addition struct {
	date, program string
	edits         []edit
}

var additions = map[string]addition{
	"with sessions": {"20251231", "main.go.txt", []edit{
		{"protocol/ages.go", `(?m)^\tage20251125\n`, "\tage20251231"},
		{"protocol/revision.go", `(?m)^\tRevision20\d+ += Revision\{.*\}\n\)`, "\tRevision20251231 = Revision{(&revision{name: \"2025-12-31\", age: age20251231, reads: age20251231, handshake: true, structured: true}).define()}"},
		{"protocol/revision.go", `(?m)^\tRevision20260728,\n`, "\tRevision20251231,"},
		{"protocol/handshake.go", `(?m)^\tTools \*ToolsCapability .*\n`, "\tWeather *WeatherCapability `json:\"weather,omitzero\" since:\"2025-12-31\"`"},
	}},
	"without": {"20261231", "stateless.go.txt", []edit{
		{"protocol/ages.go", `(?m)^\tage20260728\n`, "\tage20261231"},
		{"protocol/revision.go", `(?m)^\tRevision20\d+ += Revision\{.*\}\n\)`, "\tRevision20261231 = Revision{(&revision{name: \"2026-12-31\", age: age20261231, reads: age20261231, structured: true}).define()}"},
		{"protocol/revision.go", `(?m)^var revisions = \[...\]Revision\{\n`, "\tRevision20261231,"},
		{"protocol/handshake.go", `(?m)^\tTools \*ToolsCapability .*\n`, "\tWeather *WeatherCapability `json:\"weather,omitzero\" since:\"2026-12-31\"`"},
	}},
}

// A made-up method of a made-up revision, with types, rows, a capability and a flag of it
// for one param, is added only in package protocol: by a feature file, the three
// lines of the revision and the member that declares the capability. A revision without sessions needs one
// flag less.
func TestMethodIsAddedInProtocolAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the product anew")
	}
	for name, a := range additions {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			copyProduct(t, dir)
			for _, e := range a.edits {
				e.apply(t, dir)
			}
			feature := filepath.Join(dir, "protocol/weather.go")
			put(t, "testdata/weather.go.txt", feature)
			text, err := os.ReadFile(feature)
			if err == nil {
				err = os.WriteFile(feature, []byte(strings.ReplaceAll(string(text), "20251231", a.date)), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			put(t, "testdata/"+a.program, filepath.Join(dir, "weather/main.go"))
			run(t, filepath.Join(dir, "protocol"), "run", "./internal/codecgen")
			if out := run(t, dir, "run", "./weather"); strings.TrimSpace(out) != "ok" {
				t.Fatal(out)
			}
			for _, e := range a.edits {
				if !strings.HasPrefix(e.file, "protocol/") {
					t.Errorf("%s is edited", e.file)
				}
			}
			if len(a.edits) > 4 {
				t.Errorf("%d places are edited beside the feature file", len(a.edits))
			}
		})
	}
}

// copyProduct copies the built files of the product packages.
func copyProduct(t *testing.T, dir string) {
	t.Helper()
	const root = "../../.."
	for _, top := range []string{"go.mod", "go.sum", "jsonrpc", "protocol", "lifecycle", "server", "client"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.MkdirAll(filepath.Join(dir, name), 0o755)
			}
			if strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go") && top != name {
				return nil
			}
			put(t, path, filepath.Join(dir, name))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func put(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// apply inserts the line.
func (e edit) apply(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, e.file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	places := regexp.MustCompile(e.after).FindAllIndex(text, -1)
	if len(places) != 1 {
		t.Fatalf("%d places for %q in %s", len(places), e.line, e.file)
	}
	at := places[0][1]
	if strings.HasSuffix(e.after, `\)`) {
		at-- // before the parenthesis
	}
	edited := string(text[:at]) + e.line + "\n" + string(text[at:])
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
