/// Implements the buffer cache, which keeps blocks of a device in memory.
///
/// `FrameCache` is the public entry point, and a `Frame` is a block in memory. Blocks are looked up
/// in `BlockTable`, loaded by `FrameLoader` and `ReadAhead`, and evicted by `FrameQueues` and
/// `FrameSupply`. The journals change blocks with `FrameClaims` and `FrameRuns`. Changed blocks are
/// written by `DirtyList`, `WriteBack` and `Flusher`.
package sluice.fs.cache;
