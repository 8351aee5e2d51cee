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
import sluice.host.site.SiteOptions;
import sun.misc.Signal;

/// The runs from which the launcher records the start-up caches: a short life of `sluice serve`
/// with real requests, and each of the other commands once, so that the JVM sees the classes a
/// start needs. The main thread runs them.
final class Training {
  /// Enough for the interpreter's counters to name the hot methods.
  private static final int REQUESTS = 400;

  private static final int TIMEOUT_MILLIS = 5_000;

  private Training() {}

  /// @param args `app` (serve) or `tools` (what is not), and the directory to serve
  public static void main(String[] args) throws Exception {
    if (args[0].equals("app")) {
      serve(args[1]);
    } else {
      otherCommands();
    }
  }

  /// Serves, asks, stops.
  private static void serve(String directory) throws Exception {
    Main.run("serve", "--help");
    SiteOptions options = ServeOptions.parse(List.of(directory, "--port", "0")).site;
    Consumer<String> messages = System.err::println;
    SiteServer server = SiteServer.start(options, messages);
    try (Host host = new Host(List.of(server), messages)) {
      host.listenToSignals(Host.Hangup.RELOADS);
      Serve.announce(server.http(), System.out);
      host.publish(server.describe());
      for (int i = 0; i < REQUESTS; i++) {
        ask(server.http().server().port(), i % 4 == 0 ? "/style.css" : "/");
      }
      host.drain();
    }
  }

  /// What they print goes into the log of the recording.
  private static void otherCommands() throws IOException {
    Path directory = Files.createTempDirectory("sluice-training");
    Path image = directory.resolve("disk.img");
    Path copy = directory.resolve("copy");
    String disk = image.toString();
    try {
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
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  /// A jar whose program does nothing is translated, then run from the store.
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
    System.setProperty("sluice.class.dir", directory.resolve("classes").toString());
    try {
      Main.run("verify", jar.toString());
      Main.run("domain", "check", jar.toString());
      Main.run("domain", "run", jar.toString());
      Main.run("domain", "run", jar.toString());
    } finally {
      System.clearProperty("sluice.class.dir");
    }
  }

  /// Ends itself by a signal once it serves.
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
