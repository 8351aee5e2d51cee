package sluice.fs;

/// Receives the entries of a directory from [FileTree#list], on the listing thread.
@FunctionalInterface
public interface DirectorySink {
  /// Receives an entry.
  ///
  /// @param inode the inode number of the file
  /// @param kind the file's kind, [FileKind#UNKNOWN] if the directory does not store it
  /// @param name the name; the sink owns the array
  /// @param next the cookie for a listing that continues after this entry
  /// @return false to stop; the entry then counts as not received
  boolean entry(long inode, FileKind kind, byte[] name, long next);
}
