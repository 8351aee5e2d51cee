package sluice.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/// An application that knows nothing of Sluice, compiled and packed by the test. It prints the
/// selector provider, the result of an echo through a selector, and its arguments. With the first
/// argument `wait` it waits to be ended; otherwise the argument is its exit code. Each test creates
/// its own.
final class SampleApplication {
  private static final String SOURCE =
      """
      import java.net.InetSocketAddress;
      import java.nio.ByteBuffer;
      import java.nio.channels.*;
      import java.nio.channels.spi.SelectorProvider;
      import java.util.List;

      public class Sample {
        public static void main(String[] words) throws Exception {
          System.out.println("provider " + SelectorProvider.provider().getClass().getName());
          System.out.println("words " + List.of(words) + " " + System.getProperty("sample"));
          boolean waits = words.length > 0 && words[0].equals("wait");
          if (waits) { // a reader of what follows may send a signal
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("ended")));
          }
          System.out.println("echo " + echo());
          if (waits) {
            Thread.sleep(600_000);
          }
          System.exit(words.length == 0 ? 0 : Integer.parseInt(words[0]));
        }

        public static void premain(String argument) {
          System.out.println("premain " + SelectorProvider.provider().getClass().getName());
        }

        private static String echo() throws Exception {
          try (Selector selector = Selector.open();
              ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress("127.0.0.1", 0));
            server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            SocketChannel client = SocketChannel.open(server.getLocalAddress());
            client.write(ByteBuffer.wrap("hello".getBytes()));
            SocketChannel accepted = null;
            ByteBuffer got = ByteBuffer.allocate(5);
            while (got.hasRemaining()) {
              selector.select();
              for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                  accepted = server.accept();
                  accepted.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                } else {
                  accepted.read(got);
                }
              }
              selector.selectedKeys().clear();
            }
            return new String(got.array()) + " on " + selector.getClass().getName();
          }
        }
      }
      """;

  private final Path directory;

  /// Compiles the application and packs the jars.
  ///
  /// @param directory an empty directory for `Sample.class`, `sample.jar` and the jars with other
  ///   manifests
  SampleApplication(Path directory) throws IOException {
    this.directory = directory;
    Path source = Files.writeString(directory.resolve("Sample.java"), SOURCE);
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", directory.toString(), source.toString());
    if (failed != 0) {
      throw new IOException("the sample does not compile");
    }
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    pack("no-main.jar", manifest);
    manifest.getMainAttributes().putValue("MAIN-CLASS", "Sample");
    pack("capitals.jar", manifest);
    manifest.getMainAttributes().remove(Attributes.Name.MAIN_CLASS);
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Sample");
    manifest.getMainAttributes().putValue("Premain-Class", "Sample");
    pack("sample.jar", manifest);
  }

  private void pack(String name, Manifest manifest) throws IOException {
    try (OutputStream out = Files.newOutputStream(directory.resolve(name));
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.putNextEntry(new JarEntry("Sample.class"));
      Files.copy(directory.resolve("Sample.class"), jar);
    }
  }

  String jar() {
    return directory.resolve("sample.jar").toString();
  }

  String jarWithoutMain() {
    return directory.resolve("no-main.jar").toString();
  }

  /// Returns a jar with an attribute name in capitals, which is equivalent, since the names are not
  /// case-sensitive.
  String jarInCapitals() {
    return directory.resolve("capitals.jar").toString();
  }

  String classes() {
    return directory.toString();
  }

  /// Returns the packaged jars of the modules that form the provider.
  static List<Path> providerJars() throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String module : List.of("sys", "memory", "loop", "nio")) {
      jars.add(packaged(module, "sluice-" + module + "-[0-9.]+\\.jar"));
    }
    return jars;
  }

  /// Returns the provider's jars and, last, the jar needed to serve files in front of an
  /// application.
  static List<Path> frontJars() throws IOException {
    List<Path> jars = providerJars();
    jars.add(packaged("http", "sluice-http-[0-9.]+\\.jar"));
    return jars;
  }

  static Path agentJar() throws IOException {
    return packaged("nio", "sluice-nio-[0-9.]+-agent\\.jar");
  }

  private static Path packaged(String module, String name) throws IOException {
    Path target = SourceTree.find().root().resolve(module).resolve("target");
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches(name))
          .findFirst()
          .orElseThrow(() -> new IOException("no " + name + " in " + target + ": run mvn package"));
    }
  }
}
