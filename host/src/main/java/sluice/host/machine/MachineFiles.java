package sluice.host.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Reads the files under `/proc` and `/sys` that describe a machine. This class is stateless.
///
/// @param root `/`, or a directory with copies of such files in tests
public record MachineFiles(Path root) {
  private static final int MAX_BYTES = 8_192;

  /// Returns the content of a file without surrounding white space, or empty if the file cannot be
  /// read.
  public Optional<String> text(String path) {
    try (InputStream in = Files.newInputStream(root.resolve(path))) {
      // The file is read with one large read(2), because many of these files return data only for
      // the first one.
      byte[] bytes = in.readNBytes(MAX_BYTES);
      return Optional.of(new String(bytes, StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// Returns true if a file exists, even if it is not readable.
  boolean exists(String path) {
    return Files.exists(root.resolve(path));
  }

  /// Returns the content of a file as a number, or empty if the file cannot be read or does not
  /// contain a number.
  OptionalLong number(String path) {
    Optional<String> text = text(path).filter(s -> s.matches("-?[0-9]{1,18}"));
    return text.isPresent() ? OptionalLong.of(Long.parseLong(text.get())) : OptionalLong.empty();
  }

  /// Returns the value that follows `key` and a colon, as in `/proc/self/status`.
  Optional<String> field(String path, String key) {
    return text(path).stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(key + ":"))
        .map(line -> line.substring(key.length() + 1).strip())
        .findFirst();
  }

  /// Returns the resident memory of a process in bytes, or 0 if the process has terminated or
  /// cannot be read.
  ///
  /// @param process the ID of the process, or `self`
  public long residentBytes(String process) {
    return field("proc/" + process + "/status", "VmRSS")
        .map(text -> Long.parseLong(text.toLowerCase(Locale.ROOT).replace("kb", "").strip()) * 1024)
        .orElse(0L);
  }

  /// Returns a soft limit from `/proc/self/limits`, or `Long.MAX_VALUE` if the limit is
  /// `unlimited`.
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
