package sluice.http.site;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A table of media types by file extension.
///
/// Any thread may call. The most common ones are compiled in. The full table, a resource, is read
/// when another extension is first requested, so that the start of a server does not wait for it.
public final class MimeTypes {
  /// The type of files whose extension is unknown.
  public static final MimeType UNKNOWN = new MimeType("application/octet-stream", false);

  private static final String CHARSET = "; charset=utf-8";
  private static final int LONGEST_EXTENSION = 24;

  private MimeTypes() {}

  /// Returns the type for a file name, or a path to one.
  public static MimeType of(String name) {
    String extension = extension(name);
    if (extension.isEmpty()) {
      return UNKNOWN;
    }
    MimeType common = common(extension);
    return common != null ? common : Table.TYPES.getOrDefault(extension, UNKNOWN);
  }

  /// Returns the text after the last dot of a file name, in lower case; empty for a name without
  /// one.
  static String extension(String name) {
    int dot = name.lastIndexOf('.');
    int slash = name.lastIndexOf('/');
    int length = name.length() - dot - 1;
    return dot <= slash + 1 || length < 1 || length > LONGEST_EXTENSION
        ? ""
        : name.substring(dot + 1).toLowerCase(Locale.ROOT);
  }

  /// Returns a type that the user has configured, as it is sent. It is compressed if its name says
  /// that it is text.
  static MimeType named(String contentType) {
    String name = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    boolean text =
        name.startsWith("text/")
            || name.endsWith("json")
            || name.endsWith("xml")
            || name.endsWith("javascript")
            || name.equals("application/wasm");
    return new MimeType(contentType, text);
  }

  /// Checks a configured type.
  ///
  /// @throws IllegalArgumentException if the extension or the type is invalid
  static void check(String extension, String contentType) {
    if (!extension.matches("[a-z0-9_+-]{1,24}")) {
      throw new IllegalArgumentException(
          "an extension is small letters and digits without a dot: " + extension);
    }
    if (!contentType.matches("[!#$&^_.+A-Za-z0-9-]+/[!#$&^_.+A-Za-z0-9-]+( *;[ -~]*)?")) {
      throw new IllegalArgumentException(
          "a media type is such as text/markdown; charset=utf-8: " + contentType);
    }
  }

  /// Returns a common type, as it is in the table; a test compares them.
  static @Nullable MimeType common(String extension) {
    return switch (extension) {
      case "html", "htm" -> Common.HTML;
      case "css" -> Common.CSS;
      case "js", "mjs" -> Common.JAVASCRIPT;
      case "json", "map" -> Common.JSON;
      case "txt", "log" -> Common.TEXT;
      case "xml" -> Common.XML;
      case "svg" -> Common.SVG;
      case "png" -> Common.PNG;
      case "jpg", "jpeg" -> Common.JPEG;
      case "gif" -> Common.GIF;
      case "webp" -> Common.WEBP;
      case "avif" -> Common.AVIF;
      case "ico" -> Common.ICON;
      case "woff2" -> Common.WOFF2;
      case "woff" -> Common.WOFF;
      case "pdf" -> Common.PDF;
      case "wasm" -> Common.WASM;
      case "gz" -> Common.GZIP;
      case "zip" -> Common.ZIP;
      case "mp4" -> Common.MP4;
      case "bin" -> UNKNOWN;
      default -> null;
    };
  }

  /// Returns a type. Text is UTF-8 unless it declares its encoding itself, as XML does.
  private static MimeType type(String type, boolean compressible) {
    boolean text = type.startsWith("text/") && !type.equals("text/xml");
    return new MimeType(text ? type + CHARSET : type, compressible);
  }

  private static final class Common {
    static final MimeType HTML = type("text/html", true);
    static final MimeType CSS = type("text/css", true);
    static final MimeType JAVASCRIPT = type("text/javascript", true);
    static final MimeType JSON = type("application/json", true);
    static final MimeType TEXT = type("text/plain", true);
    static final MimeType XML = type("application/xml", true);
    static final MimeType SVG = type("image/svg+xml", true);
    static final MimeType PNG = type("image/png", false);
    static final MimeType JPEG = type("image/jpeg", false);
    static final MimeType GIF = type("image/gif", false);
    static final MimeType WEBP = type("image/webp", false);
    static final MimeType AVIF = type("image/avif", false);
    static final MimeType ICON = type("image/vnd.microsoft.icon", true);
    static final MimeType WOFF2 = type("font/woff2", false);
    static final MimeType WOFF = type("font/woff", false);
    static final MimeType PDF = type("application/pdf", false);
    static final MimeType WASM = type("application/wasm", true);
    static final MimeType GZIP = type("application/gzip", false);
    static final MimeType ZIP = type("application/zip", false);
    static final MimeType MP4 = type("video/mp4", false);
  }

  /// The full table, which is read when this class is first used.
  static final class Table {
    static final Map<String, MimeType> TYPES = read();

    private Table() {}

    private static Map<String, MimeType> read() {
      Map<String, MimeType> types = new HashMap<>(4096);
      try (InputStream in = MimeTypes.class.getResourceAsStream("mime.types")) {
        if (in == null) {
          throw new IllegalStateException("sluice/http/site/mime.types is not in this module");
        }
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (!line.startsWith("#")) {
            String[] words = line.split(" ", -1);
            MimeType type = type(words[0], words[1].equals("+"));
            for (int i = 2; i < words.length; i++) {
              types.put(words[i], type);
            }
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return types;
    }
  }
}
