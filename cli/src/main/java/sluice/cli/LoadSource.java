package sluice.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Sends a comparison's load for some seconds. The main thread calls.
interface LoadSource {
  /// What one window brought.
  ///
  /// @param requests answered
  /// @param failed not answered, or with an error
  /// @param p50 microseconds; NaN where the source does not tell latencies, as the next two
  record Outcome(long requests, long failed, double p50, double p99, double p999) {}

  /// Where the application will listen.
  InetSocketAddress target();

  Outcome send(int seconds) throws IOException, InterruptedException;

  static LoadSource of(OpenLoopLoad load) {
    URI first = load.urls().get(0);
    return new LoadSource() {
      @Override
      public InetSocketAddress target() {
        return new InetSocketAddress(first.getHost(), LoadConnection.port(first));
      }

      @Override
      public Outcome send(int seconds) throws InterruptedException {
        return load.run(seconds);
      }
    };
  }

  /// @param command for `sh -c`
  static LoadSource of(String command, int port) {
    Pattern requests = Pattern.compile("([0-9]+) requests");
    return new LoadSource() {
      @Override
      public InetSocketAddress target() {
        return new InetSocketAddress("localhost", port);
      }

      @Override
      public Outcome send(int seconds) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
        builder.environment().put("SLUICE_WINDOW", Integer.toString(seconds));
        Process process = builder.start();
        String output;
        try {
          process.getOutputStream().close();
          output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
          process.waitFor();
        } finally {
          process.destroy();
        }
        Matcher matcher = requests.matcher(output.toLowerCase(Locale.ROOT));
        if (process.exitValue() != 0 || !matcher.find()) {
          throw new IOException(
              "the load command ended with "
                  + process.exitValue()
                  + (matcher.reset().find() ? "" : " without 'N requests' in its output")
                  + ":\n"
                  + output);
        }
        long sent = Long.parseLong(matcher.group(1));
        return new Outcome(sent, 0, Double.NaN, Double.NaN, Double.NaN);
      }
    };
  }
}
