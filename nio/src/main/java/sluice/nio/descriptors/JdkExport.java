package sluice.nio.descriptors;

/// Whether the JDK's own channel classes can be named here. Any thread may ask.
public final class JdkExport {
  private JdkExport() {}

  /// Whether java.base exports `sun.nio.ch` to this module. Classes of ours that name the package
  /// cannot be loaded where it does not.
  public static boolean isExported() {
    return Object.class.getModule().isExported("sun.nio.ch", JdkExport.class.getModule());
  }
}
