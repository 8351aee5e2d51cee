/// The components that are shared by NFSv3 and NFSv4.1, such as exports, file handles, and the
/// server's own files in a tree.
///
/// - **Exports:** [Exports] contains [Export]s, each of which is a directory of an [ExportedTree].
/// - **File handles:** [FileHandles] encodes handles with the key of the tree (`HandleKey`,
///   `SipHash`) and decodes them to [FileRef]s.
/// - **The server's own files:** [ExportedTree] finds them, [ServerFile] reads and writes one, and
///   [PersistentReplies] stores replies that survive a restart ([ReplyRecord] is one of them).
/// - **Changes:** [ExportedTree] manages the locks, [PendingChange] delays the reply until the
///   change is stable, and [NewFiles] creates files.
/// - **Shared vocabulary:** [NfsStatus], [NfsException], [FileTypes], [AccessRights], [FileNames].
package sluice.nfs.export;
