package sluice.fs;

/// Receives the entries of a directory from [FileTree#list] on the thread that called it.
@FunctionalInterface
public interface DirectorySink {
  /// Receives an entry.
  ///
  /// @param inode the inode number of the file
  /// @param kind the kind of the file, or [FileKind#UNKNOWN] if the directory does not store it
  /// @param name the name, in an array that is owned by the sink
  /// @param next the cookie with which a listing can be continued after this entry
  /// @return false to stop the listing, in which case this entry is treated as not received
  boolean entry(long inode, FileKind kind, byte[] name, long next);
}
