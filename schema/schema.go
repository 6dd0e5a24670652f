// Package schema holds the SQL of the archive: private tables and the public
// views over them. The comments inside the statements stay in the database, so
// the file documents itself.
package schema

import _ "embed"

// Version is the layout of the tables, kept in PRAGMA user_version. An archive of
// an older one is built anew, from the files and from its own copies of those that
// are gone.
const Version = 1

// Projection is how entries become rows. An archive of an older one is built anew
// as well.
const Projection = 1

// ApplicationID marks the file as an archive of this program ("piar").
const ApplicationID = 0x70696172

// Tables creates the private tables and the full-text table.
//
//go:embed tables.sql
var Tables string

// Indexes are created apart: a first build makes them after the rows.
//
//go:embed indexes.sql
var Indexes string

// Views are the public surface for SQL.
//
//go:embed views.sql
var Views string
