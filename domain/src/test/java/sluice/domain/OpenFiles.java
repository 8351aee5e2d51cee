package sluice.domain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Lists the targets of this process's descriptors. Stateless.
final class OpenFiles {
  private OpenFiles() {}

  static List<Path> now() {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.map(
              descriptor -> {
                try {
                  return Files.readSymbolicLink(descriptor);
                } catch (IOException e) {
                  return Path.of("gone");
                }
              })
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
