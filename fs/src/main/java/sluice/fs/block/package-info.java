/// Defines the interfaces of the storage layers below files: [BlockDevice], [BufferCache] with
/// [Buffer], and [Journal] with [Transaction]. They are implemented by the packages `device`,
/// `cache` and `journal`, and opened by the package `storage`.
package sluice.fs.block;
