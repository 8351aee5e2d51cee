package sluice.host.text;

import java.nio.file.Path;

/// Quotes words of a shell command in a message, so that users can copy the command (POSIX, Shell
/// Command Language, section 2.2). Stateless.
public final class ShellWord {
  private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

  private ShellWord() {}

  /// Returns a path, in single quotes if needed. A name that begins with a hyphen gets `./` in
  /// front, so that it is no option.
  public static String of(Path path) {
    String text = path.toString();
    return of(text.startsWith("-") ? "./" + text : text);
  }

  /// Returns a text that is not a file name, in single quotes if needed.
  public static String of(String text) {
    return text.matches(PLAIN) ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
