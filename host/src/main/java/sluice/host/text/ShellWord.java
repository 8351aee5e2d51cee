package sluice.host.text;

import java.nio.file.Path;

/// Quotes the words of a shell command in a message so that users can copy the command (POSIX,
/// Shell Command Language, section 2.2). This class is stateless.
public final class ShellWord {
  private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

  private ShellWord() {}

  /// Returns a path, enclosed in single quotes if necessary. A name that begins with a hyphen is
  /// prefixed with `./` so that it is not interpreted as an option.
  public static String of(Path path) {
    String text = path.toString();
    return of(text.startsWith("-") ? "./" + text : text);
  }

  /// Returns a text that is not a file name, enclosed in single quotes if necessary.
  public static String of(String text) {
    return text.matches(PLAIN) ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
