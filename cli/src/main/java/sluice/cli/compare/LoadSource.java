package sluice.cli.compare;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.cli.console.Child;

/// A source that generates the load of a comparison for a number of seconds. It is called by the
/// main thread.
public interface LoadSource {
  Pattern REQUESTS = Pattern.compile("(?i)([0-9]{1,18}) requests");
  Pattern FAILED = Pattern.compile("Non-2xx or 3xx responses: ([0-9]{1,18})");

  /// The outcome of one window.
  ///
  /// @param requests the number of answered requests
  /// @param failed the number of requests without an answer or with an error
  /// @param p50 the median latency in microseconds, or NaN if the source does not report latencies
  /// @param p99 the 99th percentile in microseconds, or NaN in the same case
  /// @param p999 the 99.9th percentile in microseconds, or NaN in the same case
  /// @param answers the answers, keyed by URL (see [ResponseLog]), or an empty map if the source
  ///   does not report them
  record Outcome(
      long requests,
      long failed,
      double p50,
      double p99,
      double p999,
      Map<String, String> answers) {
    public Outcome(long requests, long failed, double p50, double p99, double p999) {
      this(requests, failed, p50, p99, p999, Map.of());
    }
  }

  /// Returns the address on which the application will listen.
  InetSocketAddress target();

  Outcome send(int seconds) throws IOException, InterruptedException;

  /// Returns a source of only the requests whose URL matches. Returns null if there are no such
  /// requests or if the source does not know its URLs.
  default @Nullable LoadSource only(Predicate<URI> wanted) {
    return null;
  }

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

      @Override
      public @Nullable LoadSource only(Predicate<URI> wanted) {
        List<URI> urls = load.urls().stream().filter(wanted).toList();
        return urls.isEmpty()
            ? null
            : LoadSource.of(new OpenLoopLoad(urls, load.rate(), load.connections()));
      }
    };
  }

  /// Returns a source that executes a command.
  ///
  /// @param command a command for `sh -c`
  static LoadSource of(String command, int port) {
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
        try (Child _ = new Child(process)) {
          process.getOutputStream().close();
          output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
          process.waitFor();
        }
        if (process.exitValue() != 0 || !REQUESTS.matcher(output).find()) {
          throw new IOException(
              "the load command ended with "
                  + process.exitValue()
                  + (REQUESTS.matcher(output).find() ? "" : " without 'N requests' in its output")
                  + ":\n"
                  + output);
        }
        return said(output);
      }
    };
  }

  /// Parses the output of a load generator in the format of wrk and similar tools.
  static Outcome said(String output) {
    long sent = number(REQUESTS, output);
    long failed = Math.min(sent, number(FAILED, output));
    return new Outcome(
        sent - failed, failed, micros("50", output), micros("99", output), micros("99.9", output));
  }

  private static long number(Pattern pattern, String output) {
    Matcher matcher = pattern.matcher(output);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /// Returns the latency in a line such as `99% 1.25ms`, or NaN if there is no such line.
  private static double micros(String percent, String output) {
    String number = percent.replace(".", "\\.") + (percent.contains(".") ? "0*" : "(?:\\.0+)?");
    Matcher matcher =
        Pattern.compile("(?m)^\\s*" + number + "%\\s+(?:in )?([0-9.]+) ?(us|ms|s)").matcher(output);
    if (!matcher.find()) {
      return Double.NaN;
    }
    double unit = matcher.group(2).equals("us") ? 1 : matcher.group(2).equals("ms") ? 1e3 : 1e6;
    return Double.parseDouble(matcher.group(1)) * unit;
  }
}
