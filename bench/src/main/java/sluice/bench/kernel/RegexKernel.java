package sluice.bench.kernel;

import java.util.function.IntToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds parts of the lines of a log with `java.util.regex`, which a domain has translated. Owned
/// by the thread that runs it.
public final class RegexKernel implements IntToLongFunction {
  private static final Pattern LINE =
      Pattern.compile("(\\d+\\.\\d+\\.\\d+\\.\\d+) - (\\w+|-) \\[([^\\]]+)\\] \"(GET|POST) (\\S+)");

  private final String log;

  /// Makes the lines.
  public RegexKernel() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      text.append("10.0.0.").append(i).append(" - user [22/Nov/2026:10:00:00] ");
      text.append("\"GET /a/page/").append(i).append(".html HTTP/1.1\" 200 1234\n");
    }
    log = text.toString();
  }

  @Override
  public long applyAsLong(int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      Matcher matcher = LINE.matcher(log);
      while (matcher.find()) {
        sum += matcher.end(5) - matcher.start(1);
      }
    }
    return sum;
  }
}
