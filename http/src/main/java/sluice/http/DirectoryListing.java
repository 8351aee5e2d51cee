package sluice.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// A directory as an HTML page: directories first, then by name; no script, style sheet or image
/// from elsewhere.
///
/// Stateless: any thread may call. Names are escaped for HTML where they are shown and
/// percent-encoded byte by byte where they are links, whatever bytes they hold; each link begins
/// with `./`, so a name cannot pass for a scheme.
final class DirectoryListing {
  /// Entries shown by default; the page says when there are more.
  static final int MOST_ENTRIES = 10_000;

  /// Made when the first page is: it would be a tenth of the server's start.
  private static final class Time {
    static final DateTimeFormatter FORMAT =
        DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  /// Directories first.
  private static final class Order {
    static final Comparator<SiteFiles.Entry> BY_KIND_AND_NAME =
        Comparator.comparing((SiteFiles.Entry entry) -> !entry.status().isDirectory())
            .thenComparing(SiteFiles.Entry::name, Arrays::compareUnsigned);
  }

  private final int mostEntries;

  DirectoryListing(int mostEntries) {
    this.mostEntries = mostEntries;
  }

  /// The page for `directory`, in UTF-8. Entries that would be refused are left out, but not links,
  /// wherever they lead: nobody follows them here.
  byte[] html(SitePath directory, SiteFiles.Listed listed, Site site) {
    List<SiteFiles.Entry> shown =
        listed.entries().stream()
            .filter(entry -> isShown(directory, entry, site))
            .sorted(Order.BY_KIND_AND_NAME)
            .limit(mostEntries)
            .toList();
    boolean more = listed.more() || shown.size() < count(directory, listed, site);
    StringBuilder page = new StringBuilder(512 + shown.size() * 120);
    String title = "Index of " + escaped(directory.toString());
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"robots\" content=\"noindex\">\n<title>")
        .append(title)
        .append("</title>\n</head>\n<body>\n<h1>")
        .append(title)
        .append("</h1>\n<table>\n<tr><th>Name</th><th>Bytes</th><th>Changed (UTC)</th></tr>\n");
    if (!directory.isRoot()) {
      page.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
    }
    for (SiteFiles.Entry entry : shown) {
      row(page, entry);
    }
    page.append("</table>\n");
    if (more) {
      page.append("<p>There are more entries: only ")
          .append(shown.size())
          .append(" are shown.</p>\n");
    }
    return page.append("</body>\n</html>\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static long count(SitePath directory, SiteFiles.Listed listed, Site site) {
    return listed.entries().stream().filter(entry -> isShown(directory, entry, site)).count();
  }

  private static boolean isShown(SitePath directory, SiteFiles.Entry entry, Site site) {
    FileStatus status = entry.status();
    boolean link = status.kind == FileStatus.SYMLINK && site.symlinks() != Site.Symlinks.REFUSE;
    return (status.isRegular() || status.isDirectory() || link)
        && RequestPath.names(entry.name())
        && !site.hides(directory.child(entry.name()));
  }

  private static void row(StringBuilder page, SiteFiles.Entry entry) {
    FileStatus status = entry.status();
    String slash = status.isDirectory() ? "/" : "";
    page.append("<tr><td><a href=\"./")
        .append(encoded(entry.name()))
        .append(slash)
        .append("\">")
        .append(escaped(new String(entry.name(), StandardCharsets.UTF_8)))
        .append(slash)
        .append("</a></td><td>");
    if (status.isRegular()) {
      page.append(status.sizeBytes);
    }
    long seconds = Math.floorDiv(status.modifiedNanos, 1_000_000_000L);
    page.append("</td><td>")
        .append(Time.FORMAT.format(Instant.ofEpochSecond(seconds)))
        .append("</td></tr>\n");
  }

  /// Text for HTML: markup characters as references; control characters, and those that turn the
  /// direction of text, as U+FFFD.
  static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> out.append(isMisleading(c) ? '\uFFFD' : c);
      }
    }
    return out.toString();
  }

  private static boolean isMisleading(char c) {
    return c < 0x20
        || (c >= 0x7f && c < 0xa0)
        || (c >= 0x202a && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }

  /// A name for a link: all but unreserved characters (RFC 3986 section 2.3) percent-encoded.
  static String encoded(byte[] name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(name.length * 3);
    for (byte b : name) {
      int c = b & 0xff;
      boolean unreserved =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '-'
              || c == '.'
              || c == '_'
              || c == '~';
      if (unreserved) {
        out.write(c);
      } else {
        out.write('%');
        out.write(HEX[c >>> 4]);
        out.write(HEX[c & 15]);
      }
    }
    return out.toString(StandardCharsets.US_ASCII);
  }
}
