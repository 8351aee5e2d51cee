/// What NFSv3 and NFSv4.1 share: which trees are exported to which clients, how files are named to
/// clients, and what the server itself keeps in a tree.
///
/// - **Which client may use what:** [Exports] are [Export]s, each a directory of a [ExportedTree].
/// - **How a file is named:** [FileHandles] writes handles under the key of the tree (`HandleKey`,
///   `SipHash`) and reads them as [FileRef]s.
/// - **What is kept in the tree:** [ExportedTree] finds it, a [ServerFile] is one file of it,
///   [PersistentReplies] are answers that outlive the server ([ReplyRecord] is one).
/// - **What a change takes:** the locks of [ExportedTree]; [PendingChange] lets the answer wait;
///   [NewFiles] makes files.
/// - **Words of both protocols:** [NfsStatus], [NfsException], [FileTypes], [AccessRights],
///   [FileNames].
package sluice.nfs.export;
