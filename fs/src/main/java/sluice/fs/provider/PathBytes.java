package sluice.fs.provider;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Operations on paths in the form of bytes. The names are separated by single slashes, and there
/// is no slash at the end. This class is stateless and thread-safe.
final class PathBytes {
  static final byte[] EMPTY = {};
  static final byte[] ROOT = {'/'};

  private PathBytes() {}

  /// Encodes a path in UTF-8 and removes redundant slashes.
  ///
  /// @throws InvalidPathException if the path contains NUL or an unpaired surrogate
  static byte[] of(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidPathException(text, "a path cannot contain NUL", text.indexOf('\0'));
    }
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return clean(bytes);
    } catch (CharacterCodingException e) {
      throw new InvalidPathException(text, "an unpaired surrogate cannot be encoded in UTF-8");
    }
  }

  /// Decodes a path. Bytes that are not valid UTF-8 are replaced by U+FFFD.
  static String text(byte[] path) {
    return new String(path, StandardCharsets.UTF_8);
  }

  /// Removes redundant slashes from a path.
  static byte[] clean(byte[] path) {
    byte[] cleaned = new byte[path.length];
    int length = 0;
    for (byte b : path) {
      if (b != '/' || length == 0 || cleaned[length - 1] != '/') {
        cleaned[length++] = b;
      }
    }
    if (length > 1 && cleaned[length - 1] == '/') {
      length--;
    }
    return length == path.length ? path : Arrays.copyOf(cleaned, length);
  }

  static boolean isAbsolute(byte[] path) {
    return path.length > 0 && path[0] == '/';
  }

  /// Returns the offset of each name. The empty path consists of one empty name, and the root has
  /// no names.
  static int[] offsets(byte[] path) {
    if (path.length == 0) {
      return new int[1];
    }
    int[] offsets = new int[path.length];
    int count = 0;
    for (int i = 0; i < path.length; i++) {
      if (path[i] != '/' && (i == 0 || path[i - 1] == '/')) {
        offsets[count++] = i;
      }
    }
    return Arrays.copyOf(offsets, count);
  }

  /// Returns the names in the target of a symbolic link. If the target ends with a slash, it must
  /// be a directory, so the name `.` is added at the end.
  static List<byte[]> names(byte[] path) {
    List<byte[]> names = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= path.length; i++) {
      if (i == path.length || path[i] == '/') {
        if (i > start) {
          names.add(Arrays.copyOfRange(path, start, i));
        }
        start = i + 1;
      }
    }
    if (path.length > 1 && path[path.length - 1] == '/') {
      names.add(new byte[] {'.'});
    }
    return names;
  }

  static byte[] join(boolean absolute, List<byte[]> names) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    if (absolute) {
      joined.write('/');
    }
    for (int i = 0; i < names.size(); i++) {
      if (i > 0) {
        joined.write('/');
      }
      joined.writeBytes(names.get(i));
    }
    return joined.toByteArray();
  }

  static byte[] resolve(byte[] base, byte[] other) {
    if (isAbsolute(other) || base.length == 0) {
      return other;
    }
    if (other.length == 0) {
      return base;
    }
    int slash = base.length == 1 && base[0] == '/' ? 0 : 1;
    byte[] joined = Arrays.copyOf(base, base.length + slash + other.length);
    joined[joined.length - other.length - 1] = '/';
    System.arraycopy(other, 0, joined, joined.length - other.length, other.length);
    return joined;
  }
}
