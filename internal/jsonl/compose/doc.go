// Package compose spells what programs write into session files: headers, omp's title
// slot, and entries, each with its members in the order of its program.
//
// An entry begins as a [Draft], which [Parse] holds against the shape of its type: what
// the program would not read as it was meant is an error. It becomes a line when its
// id, parent and time are known. [Relink] gives an entry of a copied session other
// links, and leaves it as it is otherwise.
package compose
