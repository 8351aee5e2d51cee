/// The complete server: [NfsServer] combines the programs of the other packages.
package sluice.nfs.server;
