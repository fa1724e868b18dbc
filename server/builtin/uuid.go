package builtin

import "time"

// uuid4 returns the UUID of version 4 with 16 random bytes (RFC 9562, 5.4).
func uuid4(entropy [16]byte) string { return uuid(entropy, 4) }

// uuid7 returns the UUID of version 7 for an instant, in milliseconds, with random bytes (RFC 9562,
// 5.7). An instant before 1970 counts as 1970, one after the year 10,889 as the last possible one.
func uuid7(now time.Time, entropy [10]byte) string {
	ms := uint64(min(max(now.UnixMilli(), 0), 1<<48-1))
	var b [16]byte
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	copy(b[6:], entropy[:])
	return uuid(b, 7)
}

func uuid(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	const hex = "0123456789abcdef"
	text := make([]byte, 0, 36)
	for i, v := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = append(text, hex[v>>4], hex[v&15])
	}
	return string(text)
}
