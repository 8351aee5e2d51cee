/// What makes many changes of blocks one: [sluice.fs.block.Journal] with its transactions, over the
/// cache's frames.
///
/// `PlainJournal` is none, only a `WriteOrder`. `Jbd2Journal` collects changes in a `LogGroup`,
/// `LogWriter` writes it into a `LogFile`, `Checkpoints` brings blocks to their places, `LogReplay`
/// carries a log out after a crash. `LogFormat` and `LogLayout` are the bytes. A `FrameTransaction`
/// is what both have in common.
package sluice.fs.journal;
