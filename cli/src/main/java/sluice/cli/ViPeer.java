package sluice.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Starts the answering peer of `sluice vi` in another process. This class is stateless.
final class ViPeer {
  private ViPeer() {}

  /// Starts the process and waits until it is listening.
  ///
  /// @param word `pingpong` or `stream`
  static Process start(String word, String place, ViOptions options) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            ProcessHandle.current().info().command().orElse("java"),
            "--enable-native-access=sluice.sys",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "--module-path",
            System.getProperty("jdk.module.path", ""),
            "-m",
            "sluice.cli/sluice.cli.Main",
            "vi",
            word,
            "--listen",
            place,
            "--size",
            Long.toString(options.size),
            "--wait",
            options.wait,
            "--count",
            Integer.toString(options.count),
            "--level",
            Integer.toString(options.level)));
    command.addAll(
        options.named == null
            ? List.of("--device", options.net.device())
            : List.of("--net", options.named));
    Process peer =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader said =
        new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.UTF_8));
    String line = said.readLine();
    if (line == null || !line.startsWith("listening")) {
      peer.destroyForcibly();
      throw new IOException(
          "the other end did not start" + (line == null ? "" : ": " + line) + ". Fix: see above");
    }
    return peer;
  }
}
