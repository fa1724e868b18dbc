package many

import "time"

// span is a range of times; the zero span means no time, or never.
type span struct{ low, high time.Duration }

func (s span) some() bool { return s.high > 0 }

// temper is the behavior of a server and its links. Percentages are drawn
// each time.
type temper struct {
	name string

	open      span // how long a connection takes to open
	refuses   int  // percent of the dials that fail
	hangs     int  // percent of the dials without any report
	delay     span // how long a message takes, each way; those of one link keep their order
	loss      int  // percent of messages that are lost on the way; half of the losses are noticed
	stubborn  int  // percent of the processes that do not end with their input
	ghosts    int  // percent of the ends after which messages still arrive
	lingering span // how long a process takes to end

	muteStart int  // percent of the processes that never send anything
	muteAfter span // after which a process falls silent; it still reads
	dieAfter  span // after which a process dies
	chatter   span // between unrequested messages
	garbage   int  // percent of its messages that follow garbage
	version   bool // sometimes offers an unknown revision
}

// tempers are the kinds of servers in a run. The first one has no faults.
var tempers = []temper{
	{name: "good", open: ms(1, 20), delay: ms(0, 5), lingering: ms(1, 5)},
	{name: "chatty", open: ms(1, 20), delay: ms(0, 5), lingering: ms(1, 5), chatter: ms(1, 400)},
	{name: "slow", open: ms(200, 3000), delay: ms(100, 2500), lingering: ms(100, 4000), chatter: ms(500, 4000)},
	{name: "dying", open: ms(1, 50), delay: ms(0, 30), lingering: ms(1, 50), dieAfter: ms(1, 8000), ghosts: 50, refuses: 10},
	{name: "falling silent", open: ms(1, 50), delay: ms(0, 30), muteAfter: ms(1, 9000), stubborn: 50, ghosts: 30},
	{name: "never up", refuses: 70, hangs: 30, open: ms(0, 100)},
	{name: "starting badly", open: ms(1, 100), delay: ms(0, 30), refuses: 30, hangs: 20, muteStart: 30, dieAfter: ms(1, 6000), version: true, stubborn: 30},
	{name: "garbling", open: ms(1, 50), delay: ms(0, 30), garbage: 40, chatter: ms(1, 1000), lingering: ms(1, 50)},
	{name: "lossy", open: ms(1, 50), delay: ms(0, 100), loss: 15, lingering: ms(1, 50), chatter: ms(1, 1000)},
	{name: "chaotic", open: ms(1, 500), delay: ms(0, 400), loss: 4, refuses: 20, hangs: 5, muteStart: 5, muteAfter: ms(1, 30000),
		dieAfter: ms(1, 30000), garbage: 10, chatter: ms(1, 2000), stubborn: 30, ghosts: 30, lingering: ms(1, 500), version: true},
}

// silent is a server that accepts everything and sends nothing.
var silent = temper{name: "silent", open: ms(1, 5), muteStart: 100, stubborn: 100}

// hushed is one that opens a session and sends nothing else.
var hushed = temper{name: "hushed", open: ms(1, 5), muteAfter: ms(10, 20), stubborn: 100}

func ms(low, high int) span {
	return span{time.Duration(low) * time.Millisecond, time.Duration(high) * time.Millisecond}
}
