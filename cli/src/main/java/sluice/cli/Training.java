package sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import sluice.host.Host;
import sluice.host.SiteServer;
import sluice.host.file.UsageException;
import sluice.host.site.SiteOptions;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sun.misc.Signal;

/// The training runs that are used by the launcher to record the startup caches. They consist of
/// short runs of `sluice serve` with real requests, with and without a plug-in, and one run of each
/// other command, so that the JVM loads the classes that are required at startup. They are executed
/// by the main thread.
final class Training {
  /// The number of requests, which is sufficient for the interpreter to detect the hot methods.
  private static final int REQUESTS = 400;

  private static final int TIMEOUT_MILLIS = 5_000;

  /// The system property that specifies the directory of transformed classes.
  private static final String STORE = "sluice.class.dir";

  private Training() {}

  /// Executes the training runs.
  ///
  /// @param args `app` (serve), `plugins` (serve with plug-ins) or `tools` (the other commands),
  ///   and the directory to serve
  public static void main(String[] args) throws Exception {
    withDirectory(
        switch (args[0]) {
          case "app" -> directory -> serve(args[1]);
          case "plugins" -> directory -> serveWithPlugin(args[1], directory);
          default -> Training::otherCommands;
        });
  }

  /// A part of the training.
  private interface Part {
    void run(Path directory) throws IOException, UsageException;
  }

  /// Executes a part of the training with a temporary directory and an empty store of transformed
  /// classes.
  private static void withDirectory(Part part) throws IOException, UsageException {
    Path directory = Files.createTempDirectory("sluice-training");
    System.setProperty(STORE, directory.resolve("classes").toString());
    try {
      part.run(directory);
    } finally {
      System.clearProperty(STORE);
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  /// Starts a server without plug-ins, sends requests and stops it.
  private static void serve(String site) throws IOException, UsageException {
    Main.run("serve", "--help");
    serve("/", List.of(site, "--port", "0"));
  }

  /// Starts a server with a plug-in that must be transformed, and then with the same plug-in from
  /// the store of transformed classes.
  private static void serveWithPlugin(String site, Path directory)
      throws IOException, UsageException {
    Path jar = directory.resolve("plugin.jar");
    plugin(jar);
    String plugin = "/plugin=" + jar;
    serve("/plugin", List.of(site, "--port", "0", "--plugin", plugin));
    serve("/plugin", List.of(site, "--port", "0", "--plugin", plugin));
  }

  private static void serve(String path, List<String> words) throws IOException, UsageException {
    SiteOptions options = ServeOptions.parse(words).site;
    Consumer<String> messages = System.err::println;
    SiteServer server = SiteServer.start(options, messages);
    try (Host host = new Host(List.of(server), messages)) {
      host.listenToSignals(Host.Hangup.RELOADS);
      Serve.announce(server.http(), System.out);
      host.publish(server.describe());
      for (int i = 0; i < REQUESTS; i++) {
        ask(server.http().server().port(), i % 4 == 0 ? "/style.css" : path);
      }
      host.drain();
    }
  }

  /// Executes the other commands. Their output is written to the log of the recording.
  private static void otherCommands(Path directory) throws IOException {
    Path image = directory.resolve("disk.img");
    Path copy = directory.resolve("copy");
    String disk = image.toString();
    Main.run("--help");
    Main.run("doctor");
    Main.run("fs", "mkfs", "--size", "4M", disk);
    Files.writeString(copy, "copied");
    Main.run("fs", "cp", disk, copy.toString(), ":/copy");
    Main.run("fs", "ls", "-l", disk);
    Main.run("fs", "cat", disk, "/copy");
    Main.run("fs", "cp", disk, ":/copy", copy.toString());
    Main.run("fs", "fsck", disk);
    export(disk);
    domains(directory);
  }

  /// Creates a plug-in that answers each request with a constant text.
  private static void plugin(Path jar) throws IOException {
    ClassDesc object = ConstantDescs.CD_Object;
    ClassDesc reply = ClassDesc.of(PluginReply.class.getName());
    ClassDesc request = ClassDesc.of(PluginRequest.class.getName());
    byte[] code =
        ClassFile.of()
            .build(
                ClassDesc.of("Answer"),
                builder ->
                    builder
                        .withInterfaceSymbols(ClassDesc.of(HttpPlugin.class.getName()))
                        .withFlags(ClassFile.ACC_PUBLIC)
                        .withMethodBody(
                            ConstantDescs.INIT_NAME,
                            ConstantDescs.MTD_void,
                            ClassFile.ACC_PUBLIC,
                            body ->
                                body.aload(0)
                                    .invokespecial(
                                        object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                                    .return_())
                        .withMethodBody(
                            "handle",
                            MethodTypeDesc.of(reply, request),
                            ClassFile.ACC_PUBLIC,
                            body ->
                                body.ldc("an answer")
                                    .invokestatic(
                                        reply,
                                        "text",
                                        MethodTypeDesc.of(reply, ConstantDescs.CD_String))
                                    .areturn()));
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("Answer.class"));
      out.write(code);
      out.putNextEntry(new JarEntry("META-INF/services/" + HttpPlugin.class.getName()));
      out.write("Answer\n".getBytes(StandardCharsets.US_ASCII));
    }
  }

  /// Runs an empty program in a domain twice. Its classes are transformed by the first run and
  /// loaded from the store by the second run.
  private static void domains(Path directory) throws IOException {
    Path jar = directory.resolve("nothing.jar");
    byte[] program =
        ClassFile.of()
            .build(
                ClassDesc.of("Nothing"),
                builder ->
                    builder.withMethodBody(
                        "main",
                        MethodTypeDesc.of(
                            ConstantDescs.CD_void, ConstantDescs.CD_String.arrayType()),
                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                        CodeBuilder::return_));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Nothing");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new JarEntry("Nothing.class"));
      out.write(program);
    }
    Main.run("verify", jar.toString());
    Main.run("domain", "check", jar.toString());
    Main.run("domain", "run", jar.toString());
    Main.run("domain", "run", jar.toString());
  }

  /// Exports an image. The server is stopped by a signal as soon as it is ready.
  private static void export(String image) {
    PrintWriter out =
        new PrintWriter(Writer.nullWriter()) {
          @Override
          public void flush() {
            Signal.raise(new Signal("TERM"));
          }
        };
    Commands.commandLine()
        .setOut(out)
        .execute("nfs", image, "--port", "0", "--bind", "127.0.0.1", "--no-portmap");
  }

  private static void ask(int port, String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      OutputStream out = socket.getOutputStream();
      String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      out.write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      if (!new String(in.readAllBytes(), StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200")) {
        throw new IOException("no page at " + path);
      }
    }
  }
}
