/// The whole server: [NfsServer] puts the programs of the other packages together.
package sluice.nfs.server;
