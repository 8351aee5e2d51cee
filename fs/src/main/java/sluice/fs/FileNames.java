package sluice.fs;

/// The names of a directory itself and of its parent, as trees list them. Stateless and safe for
/// use by any thread.
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
