package sluice.http.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The grammar of RFC 9112 as regular expressions, for whole heads only: slow, and easy to compare
/// with the RFC. The parser has to agree with it on every input. One thread.
final class ReferenceParser {
  private static final String TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
  private static final Pattern REQUEST_LINE =
      Pattern.compile(
          "(?<method>" + TOKEN + ") (?<target>[!$-;=?-~]+) HTTP/(?<major>\\d)\\.(?<minor>\\d)");
  private static final Pattern FIELD_LINE =
      Pattern.compile(
          "(?<name>" + TOKEN + "):[ \\t]*(?<value>[\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*");
  private static final String PORT = "(?::(?<port>[0-9]{0,5}))?";
  private static final String IPV4 =
      "(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(?:\\.|(?=\\]))){4}(?<!\\.)";
  private static final String IPV6 = ipv6();
  private static final Pattern HOST =
      Pattern.compile(
          "(?:(?:[\\-._~!$&'()*+;=0-9A-Za-z]|%[0-9A-Fa-f]{2})+|\\[" + IPV6 + "\\])" + PORT);
  private static final Pattern ABSOLUTE =
      Pattern.compile("(?i:https?)://(?<authority>[^/?]*)(?<path>/[^?]*)?(?<query>\\?.*)?");

  private ReferenceParser() {}

  private static String ipv6() {
    String h = "[0-9A-Fa-f]{1,4}";
    String ls = "(?:" + h + ":" + h + "|" + IPV4 + ")";
    List<String> forms = new ArrayList<>();
    forms.add("(?:" + h + ":){6}" + ls);
    forms.add("::(?:" + h + ":){5}" + ls);
    for (int before = 0; before <= 4; before++) {
      String prefix = "(?:(?:" + h + ":){0," + before + "}" + h + ")?";
      forms.add(prefix + "::(?:" + h + ":){" + (4 - before) + "}" + ls);
    }
    forms.add("(?:(?:" + h + ":){0,5}" + h + ")?::" + h);
    forms.add("(?:(?:" + h + ":){0,6}" + h + ")?::");
    return "(?:" + String.join("|", forms) + ")";
  }

  /// Same as [Parsed#summary] for a head that is whole; `null` when this parser cannot tell,
  /// because the head is not whole or breaks a size limit.
  static @Nullable String summary(String text) {
    String rest = text.startsWith("\r\n") ? text.substring(2) : text;
    int end = rest.indexOf("\r\n\r\n");
    if (end < 0 || text.length() > 8000) {
      return null;
    }
    String[] lines = rest.substring(0, end + 2).split("\r\n", -1);
    int headLength = text.length() - rest.length() + end + 4;
    if (lines.length - 2 > 100) {
      return null;
    }
    Matcher request = REQUEST_LINE.matcher(lines[0]);
    if (!request.matches()) {
      return refusedRequestLine(lines[0]);
    }
    if (request.group("method").length() > 32) {
      return "result -501";
    }
    if (!request.group("major").equals("1")) {
      return "result -505";
    }
    return head(request, lines, headLength);
  }

  /// Where a line is wrong in two ways, the left one counts.
  private static String refusedRequestLine(String line) {
    if (Pattern.compile(TOKEN).matcher(line).lookingAt()
        && line.matches("(?s)[!#$%&'*+\\-.^_`|~0-9A-Za-z]{33}.*")) {
      return "result -501";
    }
    return line.matches("(?s)" + TOKEN + " [!$-;=?-~]+ HTTP/[02-9]\\.\\d.*")
        ? "result -505"
        : "result -400";
  }

  private static String head(Matcher request, String[] lines, int headLength) {
    String method = request.group("method");
    String target = request.group("target");
    boolean modern = !request.group("minor").equals("0");
    Target parts = Target.of(method, target);
    if (parts == null) {
      return "result -400";
    }
    Fields fields = new Fields();
    for (int i = 1; i < lines.length - 1; i++) {
      Matcher line = FIELD_LINE.matcher(lines[i]);
      int refused = line.matches() ? fields.add(line.group("name"), line.group("value")) : 400;
      if (refused != 0) {
        return "result -" + refused;
      }
    }
    if ((modern && fields.host == null) || (fields.chunked && (!modern || fields.length >= 0))) {
      return "result -400";
    }
    HttpMethod known = HttpMethod.OTHER;
    for (HttpMethod m : HttpMethod.values()) {
      known = m.name().equals(method) ? m : known;
    }
    String host = parts.host != null ? parts.host : fields.host == null ? "" : fields.host;
    BodyKind kind =
        fields.chunked ? BodyKind.CHUNKED : fields.length > 0 ? BodyKind.FIXED : BodyKind.NONE;
    boolean keep = !fields.close && (modern || fields.keepAlive);
    return String.join(
        "|",
        "head " + headLength,
        method,
        known.name(),
        parts.form.name(),
        target,
        parts.path,
        parts.query,
        host,
        modern ? "1.1" : "1.0",
        kind.name(),
        Long.toString(Math.max(0, fields.length)),
        keep ? "keep" : "close",
        modern && fields.expects && kind != BodyKind.NONE ? "expects" : "",
        modern && fields.unknownExpectation ? "unknown expectation" : "",
        fields.lines.toString());
  }

  private static boolean validHost(String host) {
    Matcher matcher = HOST.matcher(host);
    if (!matcher.matches()) {
      return false;
    }
    String port = matcher.group("port");
    return port == null || port.isEmpty() || Integer.parseInt(port) <= 65535;
  }

  private record Target(TargetForm form, String path, String query, @Nullable String host) {
    static @Nullable Target of(String method, String target) {
      if (method.equals("CONNECT")) {
        boolean valid = validHost(target) && target.matches(".*:[0-9]+");
        return valid ? new Target(TargetForm.AUTHORITY, target, "", target) : null;
      }
      int question = target.indexOf('?');
      String path = question < 0 ? target : target.substring(0, question);
      String query = question < 0 ? "" : target.substring(question + 1);
      if (target.startsWith("/")) {
        return new Target(TargetForm.ORIGIN, path, query, null);
      }
      if (target.equals("*")) {
        return method.equals("OPTIONS") ? new Target(TargetForm.ASTERISK, "*", "", null) : null;
      }
      Matcher absolute = ABSOLUTE.matcher(target);
      if (!absolute.matches() || !validHost(absolute.group("authority"))) {
        return null;
      }
      String after = absolute.group("path");
      return new Target(
          TargetForm.ABSOLUTE, after == null ? "" : after, query, absolute.group("authority"));
    }
  }

  private static final class Fields {
    final List<String> lines = new ArrayList<>();
    @Nullable String host;
    long length = -1;
    boolean chunked;
    boolean close;
    boolean keepAlive;
    boolean expects;
    boolean unknownExpectation;

    int add(String name, String value) {
      lines.add(name + "=" + value);
      switch (name.toLowerCase(Locale.ROOT)) {
        case "host" -> {
          if (host != null || !validHost(value)) {
            return 400;
          }
          host = value;
        }
        case "content-length" -> {
          if (length >= 0 || !value.matches("[0-9]{1,18}")) {
            return 400;
          }
          length = Long.parseLong(value);
        }
        case "transfer-encoding" -> {
          int refused = codings(value);
          if (chunked || refused != 0) {
            return chunked ? 400 : refused;
          }
          chunked = true;
        }
        case "connection" -> {
          for (String option : value.toLowerCase(Locale.ROOT).split(",", -1)) {
            close |= option.replaceAll("^[ \t]+|[ \t]+$", "").equals("close");
            keepAlive |= option.replaceAll("^[ \t]+|[ \t]+$", "").equals("keep-alive");
          }
        }
        case "expect" -> {
          boolean known = value.equalsIgnoreCase("100-continue");
          expects |= known;
          unknownExpectation |= !known;
        }
        default -> {
          // nothing else frames a message
        }
      }
      return 0;
    }

    private static int codings(String value) {
      if (value.equalsIgnoreCase("chunked")) {
        return 0;
      }
      boolean unknown =
          value.matches("(?:[ \\t]*" + TOKEN + "[ \\t]*,)+[ \\t]*(?i:chunked)")
              && !value.toLowerCase(Locale.ROOT).matches("(?:.*,)?[ \\t]*chunked[ \\t]*,.*");
      return unknown ? 501 : 400;
    }
  }
}
