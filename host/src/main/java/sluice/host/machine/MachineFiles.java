package sluice.host.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// The files under `/proc` and `/sys` that describe a machine. Stateless.
///
/// @param root `/`, or a directory with copies of such files in tests
public record MachineFiles(Path root) {
  private static final int MAX_BYTES = 8_192;

  /// The file's text without surrounding white space; empty when it cannot be read.
  public Optional<String> text(String path) {
    try (InputStream in = Files.newInputStream(root.resolve(path))) {
      // With room for all: many of these files answer only the first read(2).
      byte[] bytes = in.readNBytes(MAX_BYTES);
      return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// Whether there is such a file, readable or not.
  boolean exists(String path) {
    return Files.exists(root.resolve(path));
  }

  /// The file's text as a number; empty when it cannot be read or is none.
  OptionalLong number(String path) {
    Optional<String> text = text(path).filter(s -> s.matches("-?[0-9]{1,18}"));
    return text.isPresent() ? OptionalLong.of(Long.parseLong(text.get())) : OptionalLong.empty();
  }

  /// The value after `key` and a colon on a line of its own, as in `/proc/self/status`.
  Optional<String> field(String path, String key) {
    return text(path).stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(key + ":"))
        .map(line -> line.substring(key.length() + 1).strip())
        .findFirst();
  }

  /// Resident memory of a process, bytes; 0 when it has gone or cannot be asked.
  ///
  /// @param process its number, or `self`
  public long residentBytes(String process) {
    return field("proc/" + process + "/status", "VmRSS")
        .map(text -> Long.parseLong(text.toLowerCase(Locale.ROOT).replace("kb", "").strip()) * 1024)
        .orElse(0L);
  }

  /// The soft limit in `/proc/self/limits`; `Long.MAX_VALUE` for `unlimited`.
  OptionalLong softLimit(String name) {
    Optional<String> soft =
        text("proc/self/limits").stream()
            .flatMap(String::lines)
            .filter(line -> line.startsWith(name + " "))
            .map(line -> line.substring(name.length()).strip().split(" +", 2)[0])
            .findFirst();
    if (soft.isEmpty()) {
      return OptionalLong.empty();
    }
    return soft.get().matches("[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(soft.get()))
        : OptionalLong.of(Long.MAX_VALUE);
  }
}
