// Package rows proves the rows of the requirement catalogue on the machines:
// a row has a subtest with its id. A row that concerns both roles is tested on
// both. Rows that only require something of a transport have none. It has only tests.
package rows
