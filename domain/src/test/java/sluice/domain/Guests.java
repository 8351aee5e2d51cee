package sluice.domain;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import sluice.domain.guest.Misbehaviour;

/// Creates domains for tests, with the classes of the package `guest`.
final class Guests {
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private Guests() {}

  static Path classes() {
    try {
      return Path.of(Guests.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /// Returns the directory of the test class files, even if the code source is the module that they
  /// patch.
  static Path testClasses() throws IOException {
    String file = Misbehaviour.class.getName().replace('.', '/') + ".class";
    for (Path at : new Path[] {classes(), Path.of("target/test-classes")}) {
      if (Files.exists(at.resolve(file))) {
        return at;
      }
    }
    throw new IOException("no " + file);
  }

  static DomainConfig config() throws IOException {
    PrintStream nothing =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    return DomainConfig.of("test-" + NUMBERS.incrementAndGet(), testClasses())
        .withStreams(new DomainConfig.Streams(InputStream.nullInputStream(), nothing, nothing));
  }

  static Domain domain() throws IOException {
    return Domain.create(config());
  }

  /// Returns a new object of a guest's class.
  static Object create(Domain domain, String name) throws Exception {
    return domain
        .loader()
        .loadClass("sluice.domain.guest." + name)
        .getDeclaredConstructor()
        .newInstance();
  }

  static Thread start(Domain domain, String name) throws Exception {
    return domain.start(name, (Runnable) create(domain, "Misbehaviour$" + name));
  }

  /// Returns a jar with the classes of the guests.
  static Path jar(Path directory) throws IOException {
    Path jar = directory.resolve("guests.jar");
    Path from = testClasses();
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.list(from.resolve("sluice/domain/guest"))) {
      for (Path file : files.sorted().toList()) {
        out.putNextEntry(new ZipEntry(from.relativize(file).toString()));
        out.write(Files.readAllBytes(file));
        out.closeEntry();
      }
    }
    return jar;
  }

  static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
