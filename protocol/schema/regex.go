package schema

import (
	"regexp"
	"strconv"
	"strings"
)

const (
	maxProgram = 2048 // parts of a pattern, counted with repetitions
	partSteps  = 4    // steps for each
	freeParts  = 1 << 13
	mostParts  = 1 << 16
	partBytes  = 8 // bytes of a schema that allow one more part

	textStep  = 2  // bytes of a pattern read in one step
	matchStep = 16 // bytes of a text, times parts of a pattern, matched in one step
)

// regex is a pattern of ECMA-262 compiled by package regexp. Matching is linear in the text
// times size.
type regex struct {
	re   *regexp.Regexp
	size int
}

// regexOf translates a pattern. It returns nil if the pattern does not mean the same to
// package regexp, or has more than most parts.
func regexOf(pattern string, most int) *regex {
	p := regexParser{text: pattern}
	n := p.parse()
	if n == nil {
		return nil
	}
	size := 1 + n.size() + propertyParts*p.properties
	if size > min(most, maxProgram) {
		return nil
	}
	var b strings.Builder
	n.write(&b)
	re, err := regexp.Compile(b.String())
	if err != nil { // nested repetitions
		return nil
	}
	return &regex{re, size}
}

// size is about the number of instructions of the compiled program. It is not exact above
// maxProgram.
func (n *node) size() int {
	all := 0
	switch n.op {
	case nodeSet:
		return 1 + len(n.set.ranges)/16
	case nodeRepeat:
		each := min(n.list[0].size(), maxProgram+1)
		if n.max < 0 {
			return max(n.min, 1)*each + 1
		}
		return max(n.min, 1)*each + (n.max-n.min)*(each+1)
	case nodeCat, nodeAlt:
		for _, m := range n.list {
			all += m.size()
			if n.op == nodeAlt {
				all++
			}
			if all > maxProgram {
				break
			}
		}
		return all
	}
	return 1
}

// write appends the node in the syntax of package regexp. Groups do not capture.
func (n *node) write(b *strings.Builder) {
	switch n.op {
	case nodeSet:
		n.set.write(b)
	case nodeCat, nodeAlt:
		b.WriteString("(?:")
		for i, m := range n.list {
			if i > 0 && n.op == nodeAlt {
				b.WriteByte('|')
			}
			m.write(b)
		}
		b.WriteByte(')')
	case nodeRepeat:
		n.list[0].write(b)
		b.WriteString("{" + strconv.Itoa(n.min) + ",")
		if n.max >= 0 {
			b.WriteString(strconv.Itoa(n.max))
		}
		b.WriteByte('}')
	default:
		b.WriteString(assertions[n.op])
	}
}

var assertions = [...]string{nodeBegin: `\A`, nodeEnd: `\z`, nodeWord: `\b`, nodeNotWord: `\B`}
