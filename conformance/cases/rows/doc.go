// Package rows proves the rows of the requirement catalogue at the level of the
// dispatchers: a row has a subtest of its id. A row that concerns both roles is tested on
// both. Rows that ask something of a transport only have none. It has tests only.
package rows
