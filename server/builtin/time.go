package builtin

import (
	"errors"
	"strconv"
	"time"
)

// layouts are the forms of an instant that a model may write: RFC 3339, and a date without time.
var layouts = [...]string{time.RFC3339Nano, time.DateOnly}

// date is an instant in the forms that models need.
type date struct {
	RFC3339 string // such as 2026-02-03T04:05:06Z
	Unix    int64  // seconds since 1970
	Weekday string // Monday to Sunday
	YearDay int    // 1 to 366
	Week    int    // of ISO 8601, like Year
	Year    int    // of Week
}

// dateAt returns an instant, moved by a duration, at an offset from UTC: "Z", or such as "+02:00".
// Errors: an offset of another form, a year that RFC 3339 cannot represent.
func dateAt(instant time.Time, moved time.Duration, offset string) (date, error) {
	zone := time.UTC
	if offset != "" && offset != "Z" {
		t, err := time.ParseInLocation("-07:00", offset, time.UTC)
		if err != nil || offset[1:3] > "23" || offset[4:] > "59" {
			return date{}, errors.New(`the offset has the form "+02:00"`)
		}
		_, seconds := t.Zone()
		zone = time.FixedZone("", seconds)
	}
	t := instant.Add(moved).In(zone)
	if t.Year() < 0 || t.Year() > 9999 {
		return date{}, errors.New("the year is not one from 0 to 9999: " + strconv.Itoa(t.Year()))
	}
	d := date{RFC3339: t.Format(time.RFC3339Nano), Unix: t.Unix(), Weekday: t.Weekday().String(), YearDay: t.YearDay()}
	d.Year, d.Week = t.ISOWeek()
	return d, nil
}

// instantOf parses an instant.
func instantOf(text string) (time.Time, error) {
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New(`an instant has the form "2026-02-03T04:05:06Z" or "2026-02-03"`)
}

// movedBy parses a duration, such as "-36h" or "1h30m".
func movedBy(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, errors.New(`a time to move by has the form "-36h" or "1h30m"`)
	}
	return d, nil
}
