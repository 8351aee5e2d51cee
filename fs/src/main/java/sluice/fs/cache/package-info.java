/// The buffer cache: blocks of a device in memory.
///
/// `FrameCache` is the public entry; `Frame` is a block in memory. Lookup: `BlockTable`; loading:
/// `FrameLoader`, `ReadAhead`; eviction: `FrameQueues`, `FrameSupply`; changes: `FrameClaims`,
/// `FrameRuns`, used by the journals; write-back: `DirtyList`, `WriteBack`, `Flusher`.
package sluice.fs.cache;
