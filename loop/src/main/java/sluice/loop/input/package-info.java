/// Input that is kept: unfinished messages and records, and retained input of handlers.
package sluice.loop.input;
