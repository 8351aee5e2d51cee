package sluice.domain;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.spi.ToolProvider;

/// Compiles guests that use modules of the JDK which this module does not require.
final class CompiledGuests {
  private CompiledGuests() {}

  static void compile(Path classes) throws IOException {
    compile(classes, "CompiledGuest");
  }

  /// Compiles a guest.
  ///
  /// @param name the name of a class of the package `guest`
  static void compile(Path classes, String name) throws IOException {
    Path source = classes.resolve("src/guest/" + name + ".java");
    Files.createDirectories(source.getParent());
    try (InputStream in = CompiledGuests.class.getResourceAsStream(name + ".java.txt")) {
      Files.write(source, Objects.requireNonNull(in).readAllBytes());
    }
    int code =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(System.out, System.err, "-nowarn", "-d", classes.toString(), source.toString());
    if (code != 0) {
      throw new IOException("the guests do not compile");
    }
  }

  static DomainConfig config(Path classes) throws IOException {
    DomainConfig plain = Guests.config();
    return DomainConfig.of(plain.name(), classes).withStreams(plain.streams());
  }

  static Object create(Domain domain, String name) throws Exception {
    return create(domain, "CompiledGuest", name);
  }

  static Object create(Domain domain, String type, String name) throws Exception {
    return domain
        .loader()
        .loadClass("guest." + type + "$" + name)
        .getDeclaredConstructor()
        .newInstance();
  }
}
