package sluice.fs;

/// The names `.` and `..`, which trees list for a directory and its parent. This class is stateless
/// and thread-safe.
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
