package sluice.nio.descriptors;

/// A check for access to the JDK's own channel classes. Any thread may call it.
public final class JdkExport {
  private JdkExport() {}

  /// Returns true if java.base exports `sun.nio.ch` to this module. Otherwise, classes of this
  /// module that refer to the package cannot be loaded.
  public static boolean isExported() {
    return Object.class.getModule().isExported("sun.nio.ch", JdkExport.class.getModule());
  }
}
