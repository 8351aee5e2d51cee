package sluice.fs.provider;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Converts paths to and from URIs of the form `ext2:/path/of/image!/path/inside`, which is similar
/// to `jar:`. This class is stateless and thread-safe.
///
/// An exclamation mark in a path is encoded as `%21`, so the first exclamation mark of a URI
/// separates the two paths. In the inner path, each byte that is not plain ASCII is encoded as
/// `%XX` in order to preserve names that are not valid UTF-8.
final class PathUris {
  static final String SCHEME = "ext2";

  private static final String PLAIN = "/-_.~$&'()*+,;=:@";

  private PathUris() {}

  /// Returns the URI of a path.
  ///
  /// @param inside the inner path, which must be absolute
  static URI of(String image, byte[] inside) {
    byte[] outside = image.getBytes(StandardCharsets.UTF_8);
    return URI.create(SCHEME + ":" + encode(outside) + "!" + encode(inside));
  }

  private static String encode(byte[] path) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : path) {
      boolean alphanumeric = b > 0 && Character.isLetterOrDigit(b);
      if (alphanumeric || PLAIN.indexOf(b) >= 0) {
        encoded.append((char) b);
      } else {
        encoded.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
      }
    }
    return encoded.toString();
  }

  /// Returns the path of the image.
  ///
  /// @throws IllegalArgumentException if the URI does not have the expected form
  static String image(URI uri) {
    String path = rawPath(uri);
    int border = path.indexOf('!');
    return PathBytes.text(decode(border < 0 ? path : path.substring(0, border)));
  }

  /// Returns the inner path.
  ///
  /// @throws IllegalArgumentException if the URI has no inner path
  static byte[] inside(URI uri) {
    String path = rawPath(uri);
    int border = path.indexOf("!/");
    if (border < 0) {
      throw new IllegalArgumentException(uri + " has no path behind !");
    }
    return PathBytes.clean(decode(path.substring(border + 1)));
  }

  private static String rawPath(URI uri) {
    String path = uri.getRawPath();
    if (!SCHEME.equalsIgnoreCase(uri.getScheme())
        || path == null
        || path.isEmpty()
        || uri.getRawAuthority() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      throw new IllegalArgumentException(
          uri + " is not of the form ext2:/path/of/image!/path/inside");
    }
    return path;
  }

  /// Decodes a path. The URI class has already checked that each `%` is followed by two digits.
  private static byte[] decode(String text) {
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int value = HexFormat.fromHexDigits(text, i + 1, i + 3);
        if (value == 0) {
          throw new IllegalArgumentException("a path cannot contain NUL: " + text);
        }
        decoded.write(value);
        i += 2;
      } else {
        decoded.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    return decoded.toByteArray();
  }
}
