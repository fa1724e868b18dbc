package delta

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
)

// ErrDamaged means that bytes are not a record followed by its changes.
var ErrDamaged = errors.New("delta: the changes do not fit the record")

// trailer is the length of the end of a change: a checksum of 8 bytes, the length of the pieces in 4, and a
// zero.
const trailer = 8 + 4 + 1

var sums = crc64.MakeTable(crc64.ECMA)

// Change appends to dst the change from last to next.
func Change(dst, last, next []byte) []byte {
	begin := len(dst)
	dst = binary.AppendUvarint(dst, uint64(len(next)))
	dst = pieces(dst, last, next)
	size := len(dst) - begin
	dst = binary.BigEndian.AppendUint64(dst, crc64.Checksum(next, sums))
	dst = binary.BigEndian.AppendUint32(dst, uint32(size))
	return append(dst, 0)
}

// Read returns the record of an entry, which may have at most most bytes, and the length of the record at its
// beginning. The record is part of entry if there are no changes.
func Read(entry []byte, most int) (record []byte, base int, err error) {
	base = len(entry)
	for base > 0 && entry[base-1] == 0 {
		size, ok := last(entry[:base])
		if !ok {
			return nil, 0, ErrDamaged
		}
		base -= size
	}
	if base == 0 && len(entry) > 0 {
		return nil, 0, ErrDamaged
	}
	record, err = Follow(entry[:base], entry[base:], most)
	return record, base, err
}

// last returns the length of the last one of some changes.
func last(changes []byte) (size int, ok bool) {
	n := len(changes)
	if n < trailer {
		return 0, false
	}
	body := binary.BigEndian.Uint32(changes[n-5:])
	return int(body) + trailer, uint64(body) <= uint64(n-trailer)
}

// Follow returns the record after changes of a record; the result may have at most most bytes.
func Follow(record, changes []byte, most int) ([]byte, error) {
	var ends []int // of the changes, the last one first
	for end := len(changes); end > 0; {
		size, ok := last(changes[:end])
		if !ok || changes[end-1] != 0 {
			return nil, ErrDamaged
		}
		ends = append(ends, end)
		end -= size
	}
	at := 0
	for i := len(ends) - 1; i >= 0; i-- {
		next, err := apply(record, changes[at:ends[i]], most)
		if err != nil {
			return nil, err
		}
		record, at = next, ends[i]
	}
	return record, nil
}

// apply returns the record after one change.
func apply(last, change []byte, most int) ([]byte, error) {
	rest, sum := change[:len(change)-trailer], binary.BigEndian.Uint64(change[len(change)-trailer:])
	size, n := binary.Uvarint(rest)
	if n <= 0 || size > uint64(most) {
		return nil, fmt.Errorf("%w: a record of %d bytes", ErrDamaged, size)
	}
	rest = rest[n:]
	next, from := make([]byte, 0, size), 0
	for len(rest) > 0 {
		lit, n := binary.Uvarint(rest)
		if n <= 0 || lit > uint64(len(rest)-n) || lit > size-uint64(len(next)) {
			return nil, ErrDamaged
		}
		next, rest = append(next, rest[n:n+int(lit)]...), rest[n+int(lit):]
		if len(rest) == 0 {
			break
		}
		length, n := binary.Uvarint(rest)
		if n <= 0 {
			return nil, ErrDamaged
		}
		rest = rest[n:]
		skip, n := binary.Varint(rest)
		if n <= 0 {
			return nil, ErrDamaged
		}
		rest = rest[n:]
		begin := int64(from) + skip
		if begin < 0 || begin > int64(len(last)) || length > uint64(int64(len(last))-begin) || length > size-uint64(len(next)) {
			return nil, ErrDamaged
		}
		from = int(begin) + int(length)
		next = append(next, last[begin:from]...)
	}
	if uint64(len(next)) != size || crc64.Checksum(next, sums) != sum {
		return nil, ErrDamaged
	}
	return next, nil
}

// block is how many bytes are looked up in the last record at once.
const block = 16

// pieces writes next as alternating new and copied pieces: the number of literal bytes and these bytes, then the
// number of bytes copied from last and their distance from the end of the previous copy.
func pieces(dst, last, next []byte) []byte {
	index := newIndex(last)
	done, from := 0, 0
	for at := 0; at+block <= len(next); {
		begin, ok := index.find(next[at:])
		if !ok {
			at++
			continue
		}
		end, to := begin+block, at+block
		more := common(last[end:], next[to:])
		end, to = end+more, to+more
		for at > done && begin > 0 && next[at-1] == last[begin-1] {
			at, begin = at-1, begin-1
		}
		dst = binary.AppendUvarint(dst, uint64(at-done))
		dst = append(dst, next[done:at]...)
		dst = binary.AppendUvarint(dst, uint64(end-begin))
		dst = binary.AppendVarint(dst, int64(begin-from))
		at, done, from = to, to, end
	}
	if done < len(next) {
		dst = binary.AppendUvarint(dst, uint64(len(next)-done))
		dst = append(dst, next[done:]...)
	}
	return dst
}

// common returns the length of the common prefix of a and b.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+64 <= n && bytes.Equal(a[i:i+64], b[i:i+64]) {
		i += 64
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// index finds blocks of a record that begin at a multiple of their length.
type index struct {
	data  []byte
	slots []int32 // 1 + where a block begins; of two in a slot the later one
	shift uint
}

func newIndex(data []byte) index {
	x := index{data: data, shift: 64}
	for n := 1; n < 2*len(data)/block; n *= 2 {
		x.shift--
	}
	x.slots = make([]int32, 1<<(64-x.shift))
	for at := 0; at+block <= len(data); at += block {
		x.slots[x.slot(data[at:])] = int32(at) + 1
	}
	return x
}

func (x *index) slot(b []byte) uint64 {
	h := binary.LittleEndian.Uint64(b)*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(b[8:])
	return h * 0xff51afd7ed558ccd >> x.shift
}

func (x *index) find(b []byte) (at int, ok bool) {
	at = int(x.slots[x.slot(b)]) - 1
	return at, at >= 0 && bytes.Equal(x.data[at:at+block], b[:block])
}
