/// Implements a `java.nio.file` provider for any [sluice.fs.FileTree]. The provider is located by
/// the JDK and is not used directly by other code.
///
/// `Ext2FileSystemProvider` opens images and delegates each operation. Paths are represented by
/// `TreePath` and resolved by `PathWalk`. `FileOpener` creates a `TreeFileChannel` for each open
/// file. `Changes` creates, moves and removes names, and `Copies` copies files. `AttributeView` and
/// `AttributeNames` give access to attributes. `TreeFileSystem` contains the gate through which
/// every operation passes, so that closing the file system can wait for them.
package sluice.fs.provider;
