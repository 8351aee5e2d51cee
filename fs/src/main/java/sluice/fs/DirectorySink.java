package sluice.fs;

/// Takes the entries of a directory from [FileTree#list], on the thread that lists.
@FunctionalInterface
public interface DirectorySink {
  /// One entry.
  ///
  /// @param inode of the file
  /// @param kind what it is, [FileKind#UNKNOWN] where the directory does not say
  /// @param name the sink's own from now on
  /// @param next cookie that goes on after this entry
  /// @return false to stop; the entry counts as not taken then
  boolean entry(long inode, FileKind kind, byte[] name, long next);
}
