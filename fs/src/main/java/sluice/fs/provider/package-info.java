/// `java.nio.file` over a [sluice.fs.FileTree]; found by the JDK, and used by it alone.
///
/// `Ext2FileSystemProvider` opens images and hands each operation on: paths are `TreePath`s,
/// resolved by `PathWalk`; `FileOpener` makes `TreeFileChannel`s, `Changes` names, `Copies` copies;
/// `AttributeView` and `AttributeNames` are what is known of a file. `TreeFileSystem` keeps the
/// gate through which every operation goes, so that closing waits for it.
package sluice.fs.provider;
