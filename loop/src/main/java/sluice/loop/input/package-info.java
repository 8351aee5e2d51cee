/// Stored input: unfinished messages and records, and the input retained by handlers.
package sluice.loop.input;
