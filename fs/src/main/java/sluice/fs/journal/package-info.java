/// The journals that make several changes of blocks one: [sluice.fs.block.Journal] with its
/// transactions, on the frames of the cache.
///
/// `PlainJournal` has no log, only a `WriteOrder`. `Jbd2Journal` collects changes in a `LogGroup`,
/// `LogWriter` writes the group into a `LogFile`, `Checkpoints` writes blocks to their places, and
/// `LogReplay` replays a log after a crash. `LogFormat` and `LogLayout` define the bytes.
/// `FrameTransaction` is the common base of both transactions.
package sluice.fs.journal;
