/// A `java.nio.file` provider for any [sluice.fs.FileTree]. The JDK finds it; nothing else uses it.
///
/// `Ext2FileSystemProvider` opens images and delegates each operation: paths are `TreePath`s,
/// resolved by `PathWalk`; `FileOpener` creates `TreeFileChannel`s, `Changes` changes names,
/// `Copies` copies files; `AttributeView` and `AttributeNames` give access to attributes.
/// `TreeFileSystem` has the gate through which every operation goes, so that a close waits for it.
package sluice.fs.provider;
