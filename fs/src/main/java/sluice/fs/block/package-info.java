/// The interfaces of storage below files: [BlockDevice], [BufferCache] with [Buffer]s, [Journal]
/// with [Transaction]s. Packages `device`, `cache` and `journal` implement them, `storage` opens
/// them.
package sluice.fs.block;
