package sluice.host.text;

import java.nio.file.Path;

/// A word of a command that a message shows, so that the command can be copied to a shell. The
/// rules are those of POSIX, Shell Command Language 2.2. Stateless: any thread may call.
public final class ShellWord {
  private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

  private ShellWord() {}

  /// The path as it is where a shell leaves it alone, else in single quotes. A name that begins
  /// with a hyphen would be an option: `./` goes before it.
  public static String of(Path path) {
    String text = path.toString();
    return of(text.startsWith("-") ? "./" + text : text);
  }

  /// As [#of(Path)], for what is no file's name.
  public static String of(String text) {
    return text.matches(PLAIN) ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
