package sluice.fs;

/// Names that mean a directory itself and the one above it, as trees list them. Stateless: any
/// thread may use it.
public final class FileNames {
  private FileNames() {}

  public static boolean isDot(byte[] name) {
    return name.length == 1 && name[0] == '.';
  }

  public static boolean isDotDot(byte[] name) {
    return name.length == 2 && name[0] == '.' && name[1] == '.';
  }

  public static boolean isDots(byte[] name) {
    return isDot(name) || isDotDot(name);
  }
}
