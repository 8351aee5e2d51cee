/// Input that is kept: unfinished messages and records, and what handlers retain.
package sluice.loop.input;
