/// Blocks on a device, in memory, and what makes many changes of them one. Nobody here knows of
/// files.
///
/// A way to read it; each step needs only what came before.
///
/// 1. **What users see.** [BlockDevice] ([BlockDevices]: memory, file, io_uring), [BufferCache]
///    ([BufferCaches]) with [Buffer]s, [Journal] ([Journals]) with [Transaction]s.
/// 2. **The device on io_uring.** `UringDevice` shares transfers among `UringLane`s.
/// 3. **The cache.** `FrameCache` is its whole interface; `Frame` is a block in memory. Looking up:
///    `BlockTable`; reading in: `FrameLoader`, `ReadAhead`; which frame goes: `FrameQueues`,
///    `FrameSupply`; changing: `FrameClaims`, `FrameTransaction`; writing out: `DirtyList`,
///    `WriteBack`, `Flusher`.
/// 4. **The journal.** `PlainJournal` is none, only a `WriteOrder`. `Jbd2Journal` collects changes
///    in a `LogGroup`, `LogWriter` writes it into a `LogFile`, `Checkpoints` brings blocks to their
///    places, `LogReplay` carries a log out after a crash. `LogFormat` and `LogLayout` are the
///    bytes.
package sluice.fs.block;
