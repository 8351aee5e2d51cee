/// The buffer cache: blocks of a device in memory.
///
/// `FrameCache` is its whole interface; `Frame` is a block in memory. Looking up: `BlockTable`;
/// reading in: `FrameLoader`, `ReadAhead`; which frame goes: `FrameQueues`, `FrameSupply`;
/// changing: `FrameClaims`, which the journals use; writing out: `DirtyList`, `WriteBack`,
/// `Flusher`.
package sluice.fs.cache;
