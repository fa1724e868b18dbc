package uritemplate

// hole is a jump in the program whose target is not known yet.
type hole struct {
	pc  int32
	alt bool
}

func (c *compiled) compile() {
	for k, p := range c.parts {
		if p.op != nil {
			c.expression(p, follow(c.parts[k+1:]))
			continue
		}
		before := len(c.lits)
		c.lit(p.literal)
		c.literal += len(c.lits) - before
	}
	c.emit(inst{op: opAccept})
}

// follow returns the classes of the characters that begin the next expressions, if they set
// these off from what comes before.
func follow(parts []part) kinds {
	var set kinds
	for _, p := range parts {
		if p.op == nil || p.op.firstKind == 0 {
			break
		}
		set |= p.op.firstKind
	}
	return set
}

// emit adds an instruction that leads to the next one.
func (c *compiled) emit(in inst) int32 {
	pc := c.end()
	in.next = pc + 1
	c.prog = append(c.prog, in)
	return pc
}

// end is the place of the next instruction. MaxTemplate keeps it small.
func (c *compiled) end() int32 { return int32(len(c.prog)) }

func (c *compiled) lit(s string) int32 {
	tokens, _ := scan(s) // Parse has read s
	from := int32(len(c.lits))
	c.lits = append(c.lits, tokens...)
	return c.emit(inst{op: opLit, from: from, to: int32(len(c.lits))})
}

// fill points the holes at the next instruction.
func (c *compiled) fill(holes ...hole) {
	for _, h := range holes {
		if h.alt {
			c.prog[h.pc].alt = c.end()
		} else {
			c.prog[h.pc].next = c.end()
		}
	}
}

// expression compiles an expression. Before each variable the program knows whether an earlier
// one is defined: if not, first comes before the variable, otherwise sep.
func (c *compiled) expression(p part, stop kinds) {
	if p.op.first == "" {
		c.emit(inst{op: opOpen})
	}
	var none, some []hole
	for i := p.from; i < p.to; i++ {
		c.fill(none...)
		none = []hole{{c.emit(inst{op: opSplit}), true}}
		start := hole{none[0].pc, false}
		if p.op.first != "" {
			start = hole{c.lit(p.op.first), false}
		}
		if i > p.from {
			c.fill(some...)
			some = []hole{{c.emit(inst{op: opSplit}), true}}
			c.lit(p.op.sep)
		}
		c.fill(start)
		value := c.end()
		some = append(some, c.value(i, i == p.to-1)...)
		for pc := value; pc < c.end() && i == p.to-1; pc++ {
			c.prog[pc].stop = stop
		}
	}
	c.fill(none...)
	c.fill(some...)
	if p.op.first == "" {
		c.emit(inst{op: opClose, from: int32(p.from), to: int32(p.to)})
	}
}

// value compiles the spellings of variable i and returns what follows it.
func (c *compiled) value(i int, last bool) []hole {
	v := &c.vars[i]
	switch {
	case !v.Explode:
		return c.single(i, last)
	case v.op.named:
		split := c.emit(inst{op: opSplit})
		list := c.members(i, false)
		c.fill(hole{split, true})
		return []hole{list, c.members(i, true)}
	}
	split := c.emit(inst{op: opSplit})
	pairs := c.members(i, true)
	c.fill(hole{split, true})
	item := c.run(v, v.op.sepKind)
	c.repeat(v.op.sep, item)
	return []hole{pairs, c.done(i, false)}
}

// single compiles a text, or a list with commas. If values can contain the separator of the
// expression, it ends the value of every variable but the last, where possible.
func (c *compiled) single(i int, last bool) []hole {
	v := &c.vars[i]
	var bare []hole
	if v.op.named {
		c.lit(v.Name)
		bare = c.assign(v)
	}
	list := v.Prefix == 0 && !v.op.reserved
	without := v.op.sepKind &^ (comma | dot)
	if list {
		without |= comma
	}
	item := c.run(v, without)
	if !last {
		c.prog[item].stop = v.op.sepKind
	}
	if list {
		split := c.repeat(",", item)
		if in := &c.prog[split]; !last && v.op.sepKind == comma {
			in.next, in.alt = in.alt, in.next
		}
	}
	c.fill(bare...)
	return []hole{c.done(i, false)}
}

// members compiles an exploded variable: each member has a name before it, the variable's or
// its own.
func (c *compiled) members(i int, pairs bool) hole {
	v := &c.vars[i]
	start := c.end()
	dots := v.op.sepKind & dot // where dots separate members, = tells which ones do
	if pairs {
		name := c.run(v, v.op.sepKind|equals)
		c.prog[name].set[exact] |= dots
	} else {
		c.lit(v.Name)
	}
	bare := c.assign(v)
	value := c.run(v, v.op.sepKind)
	c.prog[value].set[exact] |= dots
	c.fill(bare...)
	c.repeat(v.op.sep, start)
	return c.done(i, pairs)
}

// assign compiles the = after a name. It returns what follows if there is no =.
func (c *compiled) assign(v *variable) []hole {
	if !v.op.bare {
		c.lit("=")
		return nil
	}
	split := c.emit(inst{op: opSplit})
	c.fill(hole{split, true})
	empty := c.emit(inst{op: opEmpty})
	c.fill(hole{split, false})
	c.lit("=")
	return []hole{{empty, false}}
}

// repeat returns to start after a separator. It returns the split that does.
func (c *compiled) repeat(sep string, start int32) int32 {
	split := c.emit(inst{op: opSplit})
	c.prog[c.lit(sep)].next = start
	c.fill(hole{split, true})
	return split
}

func (c *compiled) done(i int, pairs bool) hole {
	return hole{c.emit(inst{op: opDone, pairs: pairs, from: int32(i)}), false}
}

func (c *compiled) run(v *variable, without kinds) int32 {
	in := inst{op: opRun, reserved: v.op.reserved, max: int16(v.Prefix), set: [modes]kinds{plain, plain}}
	in.set[loose] |= segment | comma | equals | semicolon | ampersand
	if v.op.query {
		in.set[loose] |= slash | question
	}
	if v.op.reserved {
		in.set = [modes]kinds{anything, anything}
	}
	for mode := range in.set {
		in.set[mode] &^= without
	}
	return c.emit(in)
}
