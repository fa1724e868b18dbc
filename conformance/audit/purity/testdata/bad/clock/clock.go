// Package clock looks at the clock, the zone and the console.
package clock

import (
	"fmt"
	clk "time"
)

func now() clk.Time { return clk.Now() } // want ambient

var later = clk.After // want ambient

func rest() {
	clk.Sleep(clk.Second)              // want ambient
	fmt.Println(clk.Since(clk.Time{})) // want ambient
	_ = fmt.Sprint(clk.Time{}.Local()) // want ambient
	_ = clk.Date(2025, 6, 18, 0, 0, 0, 0, clk.UTC)
	_ = clk.Date(2025, 6, 18, 0, 0, 0, 0, clk.Local)      // want ambient
	_ = func() *clk.Timer { return nil }                  // want ambient
	_ = clk.Time{}.Add(clk.Duration(1)).Before(clk.Now()) // want ambient
	println("here")                                       // want ambient
}
