/// Messages between two processes: Virtual Interfaces beside the same calls in C, and peers.
package sluice.bench.vi;
