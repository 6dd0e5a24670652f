// Package count has the commands that add up what the archive holds: stats, cost, du,
// and sql for any other sum.
//
// Each constructor returns the row of one command. stats and cost are one question
// printed two ways; what counts once is decided in internal/query/numbers.
package count
