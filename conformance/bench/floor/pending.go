package floor

// Entry is what a pending call needs: who asked, for what, until when.
type Entry struct {
	Token    int64
	Deadline int64
	Method   Method
}

// Slots is a pending table as a slot array with a free list. An id names its
// slot (low 20 bits) and the slot's generation, so an answer to a finished
// call is not mistaken for one to its successor.
type Slots struct {
	slots []slot
	free  int32 // 1 + first free slot
	Len   int
}

type slot struct {
	Entry
	id   int64 // 0: free
	next int32 // 1 + next free slot
	gen  int32
}

// Add records e and returns its id.
func (t *Slots) Add(e Entry) int64 {
	t.Len++
	i := t.free - 1
	if i < 0 {
		i = int32(len(t.slots))
		t.slots = append(t.slots, slot{})
	} else {
		t.free = t.slots[i].next
	}
	s := &t.slots[i]
	s.gen++
	s.Entry, s.id = e, int64(s.gen)<<20|int64(i)
	return s.id
}

// Take removes the entry with the given id and reports whether there was one.
func (t *Slots) Take(id int64) bool {
	i := id & (1<<20 - 1)
	if id <= 0 || i >= int64(len(t.slots)) || t.slots[i].id != id {
		return false
	}
	s := &t.slots[i]
	s.id, s.next, t.free = 0, t.free, int32(i)+1
	t.Len--
	return true
}
