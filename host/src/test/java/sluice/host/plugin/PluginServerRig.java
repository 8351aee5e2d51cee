package sluice.host.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import sluice.domain.Domain;
import sluice.host.SiteServer;
import sluice.host.site.SiteOptions;
import sluice.testbase.Await;

/// A server with one page, and with plug-ins that are classes of the test.
abstract class PluginServerRig {
  @TempDir Path directory = Path.of(".");
  final List<String> messages = new CopyOnWriteArrayList<>();
  private @Nullable SiteServer server;

  @BeforeEach
  final void files() throws IOException {
    Files.createDirectories(directory.resolve("public"));
    Files.writeString(directory.resolve("public/index.html"), "home");
  }

  @AfterEach
  final void end() {
    if (server != null) {
      server.close();
    }
  }

  /// Creates or replaces a jar that declares the first of the types as a service provider.
  Path jar(String name, Class<?> service, Class<?>... types) throws IOException {
    Path jar = directory.resolve(name + ".jar");
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar))) {
      to.putNextEntry(new JarEntry("META-INF/services/" + service.getName()));
      to.write(types[0].getName().getBytes(StandardCharsets.UTF_8));
      for (Class<?> each : types) {
        String file = each.getName().substring(each.getPackageName().length() + 1) + ".class";
        to.putNextEntry(new JarEntry(each.getName().replace('.', '/') + ".class"));
        try (InputStream in = Objects.requireNonNull(each.getResourceAsStream(file))) {
          to.write(in.readAllBytes());
        }
      }
    }
    return jar;
  }

  void start(String... settings) throws Exception {
    SiteOptions options = new SiteOptions();
    options.serve(directory.resolve("public"));
    options.set("port", "0");
    options.set("backend", "epoll");
    for (int i = 0; i < settings.length; i += 2) {
      options.set(settings[i], settings[i + 1]);
    }
    server = SiteServer.start(options, messages::add);
  }

  void awaitMessage(String text) {
    Await.until(text + " in " + messages, () -> messages.toString().contains(text));
  }

  SiteServer server() {
    return Objects.requireNonNull(server);
  }

  int port() {
    return ((InetSocketAddress) server().http().server().addresses().get(0)).getPort();
  }

  String ask(String head, String body) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port())) {
      client.setSoTimeout((int) Await.SECONDS * 1000);
      String text = head + "Host: a\r\nConnection: close\r\n\r\n" + body;
      client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      return new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  String get(String target) throws IOException {
    String reply = ask("GET " + target + " HTTP/1.1\r\n", "");
    return reply.substring(9, 12) + " " + reply.substring(reply.indexOf("\r\n\r\n") + 4);
  }

  static int threads(String name) {
    return domain(name).stat().threads();
  }

  static Domain domain(String name) {
    return Domain.living().stream().filter(each -> each.name().equals(name)).findFirst().get();
  }
}
