package house

import (
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the sources have into surface.txt")

// maxSurface limits the exported names of all packages outside protocol.
const maxSurface = 1500

// surface counts the exports of each package of the product: types, functions, constants, variables and
// the methods of exported types. Aliases for the same name of another package do not count.
func surface(t *tree) map[string]int {
	count := map[string]int{}
	for _, s := range t.files {
		if s.test() || !s.public() || s.ast.Name.Name == "main" {
			continue
		}
		count[s.dir] += len(declares(s.ast))
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() && ast.IsExported(receiver(f.Recv.List[0].Type)) {
				count[s.dir]++
			}
		}
	}
	return count
}

func surfaceText(count map[string]int) string {
	var b strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(&b, "%4d %s\n", count[dir], dir)
	}
	return b.String()
}

// Every package exports as many names as surface.txt says, and those outside protocol at most
// maxSurface in all. To add a name, first look for one to replace, then write the file
// with -args -update, so that a reviewer sees it.
func TestSurface(t *testing.T) {
	src, err := load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	count := surface(src)
	file := filepath.Join("testdata", "surface.txt")
	if *update {
		if err := os.WriteFile(file, []byte(surfaceText(count)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), surfaceText(count)); diff != "" {
		t.Errorf("go test ./conformance/audit/house -run TestSurface -args -update writes it anew (-want +got):\n%s", diff)
	}
	sum := 0
	for dir, n := range count {
		if dir != "protocol" && !strings.HasPrefix(dir, "protocol/") {
			sum += n
		}
	}
	if sum > maxSurface {
		t.Errorf("%d exported names outside protocol: want at most %d", sum, maxSurface)
	}
}

func TestSurfaceCounts(t *testing.T) {
	fsys := fstest.MapFS{"server/away/go.mod": {}}
	for name, text := range map[string]string{
		"client/x.go":            "type A struct{ B int }\n\ntype c int\n\nconst D, e = 1, 2\n\nvar F int\n\ntype G = x.G\n",
		"client/y.go":            "func (A) M() {}\n\nfunc (*A) N() {}\n\nfunc (A) o() {}\n\nfunc (c) P() {}\n\nfunc Q() {}\n\ntype R[T any] struct{}\n\nfunc (R[T]) S() {}\n",
		"client/y_test.go":       "func Z() {}\n",
		"client/internal/a/x.go": "func Z() {}\n",
		"conformance/x.go":       "func Z() {}\n",
		"server/away/x.go":       "func Z() {}\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte("package p\n\n" + text)}
	}
	src, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	const want = "   8 client\n   1 server/away\n"
	if got := surfaceText(surface(src)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
