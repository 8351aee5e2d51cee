package sluice.http.metrics;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.CounterValue;

/// Formats a snapshot for a scraper, either in the text format of Prometheus (version 0.0.4) or in
/// OpenMetrics 1.0, which supports units. Any thread may call.
///
/// The label `loop0/requests` of a count becomes `sluice_requests_total{source="loop0"}`; of a
/// gauge, `sluice_requests{source="loop0"}`. A label without a slash has no source. Values are in
/// base units: values counted in `_us` or `_ms` are shown in `_seconds`. Counts whose names end in
/// `_up_to_N_us` are the intervals of a histogram if there is a `_count` of the same name;
/// otherwise they are counts with the label `seconds`.
public final class MetricsText {
  public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
  public static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private static final Pattern UP_TO = Pattern.compile("(.+)_up_to_([0-9]+)_us");
  private static final String TIMES = "request_time";
  private static final String DURATION = "request_duration_seconds";

  /// The help texts, which are loaded on first use.
  private static final class Help {
    static final Map<String, String> TEXTS = read();

    private static Map<String, String> read() {
      Map<String, String> texts = new LinkedHashMap<>();
      try (InputStream in =
              Objects.requireNonNull(MetricsText.class.getResourceAsStream("help.txt"));
          BufferedReader lines =
              new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          int colon = line.indexOf(": ");
          if (colon > 0 && !line.startsWith("#")) {
            texts.put(line.substring(0, colon), line.substring(colon + 2));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return texts;
    }
  }

  private record Family(String type, String help, List<String> samples) {}

  private final boolean open;
  private final Map<String, Family> families = new LinkedHashMap<>();

  private MetricsText(boolean open) {
    this.open = open;
  }

  /// Returns the text of all counters, the values of the process, and additional samples.
  ///
  /// @param more samples of families that are neither counters nor values of the process
  /// @param open true for OpenMetrics
  public static String of(CounterSnapshot snapshot, List<Metric> more, boolean open) {
    MetricsText text = new MetricsText(open);
    snapshot.values().forEach(text::add);
    ProcessMetrics.read().forEach(text::add);
    more.forEach(text::add);
    return text.written();
  }

  /// Returns true if a scraper requests OpenMetrics.
  ///
  /// @param accept the value of its `Accept` field, or null if there is none
  public static boolean isOpen(@Nullable String accept) {
    return accept != null && accept.contains("application/openmetrics-text");
  }

  /// Returns the help text for a name, or null if there is none.
  ///
  /// @param name the name of a family without `sluice_` and `_total`
  static @Nullable String help(String name) {
    return Help.TEXTS.get(name);
  }

  private void add(CounterValue value) {
    int slash = value.label().indexOf('/');
    String name = value.label().substring(slash + 1).replaceAll("[^a-zA-Z0-9_]", "_");
    String source = slash < 0 ? "" : "source=\"" + escape(value.label().substring(0, slash)) + "\"";
    BigDecimal number = BigDecimal.valueOf(value.value());
    Matcher interval = UP_TO.matcher(name);
    if (name.startsWith(TIMES)) {
      histogram(name.substring(TIMES.length()), source, number);
    } else if (interval.matches()) {
      String seconds = "seconds=\"" + seconds(new BigDecimal(interval.group(2)), 6) + "\"";
      count(interval.group(1) + "_up_to", source + "," + seconds, number);
    } else if (name.endsWith("_us")) {
      String base = name.substring(0, name.length() - "us".length()) + "seconds";
      level(value, base, source, value.value() < 0 ? "NaN" : seconds(number, 6));
    } else if (name.endsWith("_ms")) {
      String base = name.substring(0, name.length() - "ms".length()) + "seconds";
      level(value, base, source, seconds(number, 3));
    } else {
      level(value, name, source, number.toPlainString());
    }
  }

  private void level(CounterValue value, String name, String labels, String number) {
    if (value.gauge()) {
      family("sluice_" + name, name, "gauge").samples.add(sample("sluice_" + name, labels, number));
    } else {
      count(name, labels, number);
    }
  }

  private void count(String name, String labels, BigDecimal number) {
    count(name, labels, number.toPlainString());
  }

  private void count(String name, String labels, String number) {
    String whole = "sluice_" + name + "_total";
    family(open ? "sluice_" + name : whole, name, "counter")
        .samples
        .add(sample(whole, labels, number));
  }

  /// @param part the rest of the counter's name after the histogram's
  private void histogram(String part, String source, BigDecimal number) {
    String name = "sluice_" + DURATION;
    Family family = family(name, DURATION, "histogram");
    Matcher interval = UP_TO.matcher("x" + part);
    if (interval.matches()) {
      String bound = seconds(new BigDecimal(interval.group(2)), 6);
      String labels = source + ",le=\"" + bound + (bound.contains(".") ? "" : ".0") + "\"";
      family.samples.add(sample(name + "_bucket", labels, number.toPlainString()));
    } else if (part.equals("_count")) {
      String all = number.toPlainString();
      family.samples.add(sample(name + "_bucket", source + ",le=\"+Inf\"", all));
      family.samples.add(sample(name + "_count", source, all));
    } else {
      family.samples.add(sample(name + "_sum", source, seconds(number, 6)));
    }
  }

  private void add(String name, double value) {
    Metric.Kind kind = name.endsWith("_total") ? Metric.Kind.COUNTER : Metric.Kind.GAUGE;
    add(new Metric(name, kind, "", Map.of(), value));
  }

  private void add(Metric metric) {
    String name = metric.family();
    String plain =
        switch (metric.kind()) {
          case COUNTER -> name.substring(0, name.length() - "_total".length());
          case INFO -> open ? name.substring(0, name.length() - "_info".length()) : name;
          case GAUGE, SUMMARY -> name;
        };
    String type =
        metric.kind() == Metric.Kind.INFO && !open
            ? "gauge"
            : metric.kind().name().toLowerCase(Locale.ROOT);
    String meaning = metric.kind() == Metric.Kind.COUNTER ? plain : name;
    String labels =
        metric.labels().entrySet().stream()
            .map(each -> each.getKey() + "=\"" + escape(each.getValue()) + "\"")
            .collect(Collectors.joining(","));
    String number = BigDecimal.valueOf(metric.value()).stripTrailingZeros().toPlainString();
    family(open ? plain : name, meaning.replaceFirst("^sluice_", ""), type)
        .samples
        .add(sample(name + metric.part(), labels, number));
  }

  private static String seconds(BigDecimal number, int places) {
    BigDecimal moved = number.movePointLeft(places);
    return moved.signum() == 0 ? "0" : moved.stripTrailingZeros().toPlainString();
  }

  private static String sample(String name, String labels, String value) {
    return labels.isEmpty() ? name + " " + value : name + "{" + labels + "} " + value;
  }

  /// Returns the family with the given name. All its samples are listed together regardless of
  /// their loop.
  private Family family(String name, String meaning, String type) {
    return families.computeIfAbsent(
        name,
        _ -> {
          String help = help(meaning);
          String text = help == null ? meaning.replace('_', ' ') : help;
          return new Family(type, text, new ArrayList<>());
        });
  }

  private String written() {
    StringBuilder text = new StringBuilder();
    families.forEach((name, family) -> {
      text.append("# HELP ").append(name).append(' ').append(family.help).append('\n');
      text.append("# TYPE ").append(name).append(' ').append(family.type).append('\n');
      int unit = name.lastIndexOf('_') + 1;
      if (open && (name.endsWith("_seconds") || name.endsWith("_bytes"))) {
        text.append("# UNIT ").append(name).append(' ').append(name, unit, name.length());
        text.append('\n');
      }
      family.samples.forEach(each -> text.append(each).append('\n'));
    });
    return (open ? text.append("# EOF\n") : text).toString();
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
