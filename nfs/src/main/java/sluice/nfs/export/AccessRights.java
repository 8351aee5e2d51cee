package sluice.nfs.export;

import sluice.fs.FileTree;

/// Maps the bits of an ACCESS call to the rights of a file tree. The bits are the same in NFSv3
/// (RFC 1813, section 3.3.4) and NFSv4.1 (RFC 8881, section 18.1). This class is stateless.
public final class AccessRights {
  private static final int READ = 1;
  private static final int LOOKUP = 2;
  private static final int MODIFY = 4;
  private static final int EXTEND = 8;
  private static final int DELETE = 16;
  private static final int EXECUTE = 32;
  private static final int CHANGES = MODIFY | EXTEND | DELETE;

  private AccessRights() {}

  /// Returns the tree rights that must be checked in order to answer the given ACCESS bits.
  public static int rights(int asked, boolean directory) {
    int rights = (asked & READ) != 0 ? FileTree.READ : 0;
    rights |= (asked & CHANGES) != 0 ? FileTree.WRITE : 0;
    int execute = directory ? LOOKUP | CHANGES : EXECUTE;
    return rights | ((asked & execute) != 0 ? FileTree.EXECUTE : 0);
  }

  /// Returns the ACCESS bits to grant. Changing the names in a directory requires the rights to
  /// write and to search it.
  public static int granted(int asked, int rights, boolean directory, boolean readOnly) {
    boolean execute = (rights & FileTree.EXECUTE) != 0;
    boolean write = (rights & FileTree.WRITE) != 0 && !readOnly && (execute || !directory);
    int granted = (rights & FileTree.READ) != 0 ? READ : 0;
    granted |= execute ? (directory ? LOOKUP : EXECUTE) : 0;
    granted |= write ? MODIFY | EXTEND : 0;
    granted |= write && directory ? DELETE : 0;
    return granted & asked;
  }
}
