package sluice.fs.provider;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// `ext2:/path/of/image!/path/inside`, as `jar:` has it. Stateless: any thread may use it.
///
/// An exclamation mark of a path is written `%21`, so the first one is the border. Inside, each
/// byte that is not plain ASCII is written `%XX`: names that are no UTF-8 stay what they are.
final class PathUris {
  static final String SCHEME = "ext2";

  private static final String PLAIN = "/-_.~$&'()*+,;=:@";

  private PathUris() {}

  /// @param inside absolute
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

  /// The path of the image.
  ///
  /// @throws IllegalArgumentException when it is no such URI
  static String image(URI uri) {
    String path = rawPath(uri);
    int border = path.indexOf('!');
    return PathBytes.text(decode(border < 0 ? path : path.substring(0, border)));
  }

  /// The path inside.
  ///
  /// @throws IllegalArgumentException when it has none
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

  /// The URI's maker has checked that two digits follow each `%`.
  private static byte[] decode(String text) {
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int value = HexFormat.fromHexDigits(text, i + 1, i + 3);
        if (value == 0) {
          throw new IllegalArgumentException("a path holds no NUL: " + text);
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
