package sluice.domain.translate;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.BeanSubstitutes;
import sluice.domain.inside.Drivers;
import sluice.domain.inside.Gate;
import sluice.domain.inside.LoggerSubstitutes;
import sluice.domain.inside.SettingSubstitutes;
import sluice.domain.inside.Substitutes;
import sluice.domain.inside.ThreadSubstitutes;

/// Renames classes of the JDK and of this module of which each domain has a copy. Stateless; any
/// thread may call.
///
/// The names in the text entries of a class file's constant pool are changed. String constants that
/// contain one of these names are also changed, so that `Class.forName` finds the copy.
final class Relocation {
  /// The package of the copies.
  static final String OWN = "sluice/domain/own/";

  static final String REGEX = OWN + "regex/";
  static final String SUBSTITUTES = OWN + "Substitutes";
  static final String LOGGERS = OWN + "LoggerSubstitutes";
  static final String BEANS = OWN + "BeanSubstitutes";
  static final String THREADS = OWN + "ThreadSubstitutes";
  static final String SETTINGS = OWN + "SettingSubstitutes";
  static final String GATE = OWN + "Gate";
  static final String DRIVERS = OWN + "Drivers";

  /// The classes of this module of which each domain has a copy, by the name of the copy.
  private static final Map<String, String> OURS =
      Map.of(
          SUBSTITUTES,
          name(Substitutes.class),
          LOGGERS,
          name(LoggerSubstitutes.class),
          BEANS,
          name(BeanSubstitutes.class),
          THREADS,
          name(ThreadSubstitutes.class),
          SETTINGS,
          name(SettingSubstitutes.class),
          DRIVERS,
          name(Drivers.class),
          GATE,
          name(Gate.class));

  private static final String JDK_REGEX = "java/util/regex/";
  private static final String JDK_REGEX_INNER = "jdk/internal/util/regex/";
  private static final String REGEX_INNER = OWN + "regexi/";

  private static final Map<String, String> NAMES =
      Map.of(
          JDK_REGEX_INNER,
          REGEX_INNER,
          JDK_REGEX,
          REGEX,
          "java.util.regex.",
          REGEX.replace('/', '.'),
          name(Substitutes.class),
          SUBSTITUTES,
          name(LoggerSubstitutes.class),
          LOGGERS,
          name(BeanSubstitutes.class),
          BEANS,
          name(ThreadSubstitutes.class),
          THREADS,
          name(SettingSubstitutes.class),
          SETTINGS,
          name(Drivers.class),
          DRIVERS,
          name(Gate.class),
          GATE);

  private Relocation() {}

  private static String name(Class<?> type) {
    return type.getName().replace('.', '/');
  }

  /// Returns the renamed bytes of a copy, or null if the name does not belong to a copy.
  static byte @Nullable [] copy(String internalName) {
    String original = original(internalName);
    if (original == null) {
      return null;
    }
    Module module = isOurs(internalName) ? Substitutes.class.getModule() : Object.class.getModule();
    try (InputStream in = module.getResourceAsStream(original + ".class")) {
      return in == null ? null : rename(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable String original(String internalName) {
    if (internalName.startsWith(REGEX)) {
      return JDK_REGEX + internalName.substring(REGEX.length());
    }
    return internalName.startsWith(REGEX_INNER)
        ? JDK_REGEX_INNER + internalName.substring(REGEX_INNER.length())
        : OURS.get(internalName);
  }

  /// Returns true for a copy of a class of this module, which is not translated.
  static boolean isOurs(String internalName) {
    return OURS.containsKey(internalName);
  }

  /// Returns a class file in which the names have been replaced by those of the copies.
  ///
  /// @throws IllegalArgumentException if the bytes are not a class file
  static byte[] rename(byte[] bytes) {
    ByteArrayOutputStream result = new ByteArrayOutputStream(bytes.length + 256);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        DataOutputStream out = new DataOutputStream(result)) {
      out.writeLong(in.readLong());
      int entries = in.readUnsignedShort();
      out.writeShort(entries);
      int at = 1;
      while (at < entries) {
        at += entry(in, out);
      }
      in.transferTo(out);
    } catch (IOException e) {
      throw new IllegalArgumentException("not a class file: " + e.getMessage(), e);
    }
    return result.toByteArray();
  }

  /// Copies one entry of a constant pool (JVMS 4.4). Returns the number of indexes that it
  /// occupies.
  private static int entry(DataInputStream in, DataOutputStream out) throws IOException {
    int tag = in.readUnsignedByte();
    out.writeByte(tag);
    switch (tag) {
      case 1 -> out.writeUTF(renamed(in.readUTF()));
      case 3, 4, 9, 10, 11, 12, 17, 18 -> out.writeInt(in.readInt());
      case 5, 6 -> {
        out.writeLong(in.readLong());
        return 2;
      }
      case 7, 8, 16, 19, 20 -> out.writeShort(in.readUnsignedShort());
      case 15 -> {
        out.writeByte(in.readByte());
        out.writeShort(in.readShort());
      }
      default -> throw new IOException("tag " + tag + " in the constant pool");
    }
    return 1;
  }

  /// Replaces complete names. A name such as `x/java/util/regex/Y`, from a jar with shaded
  /// libraries, is not changed.
  private static String renamed(String text) {
    String result = text;
    if (text.contains("/regex/")
        || text.contains(".regex.")
        || text.contains("Substitutes")
        || text.contains("/Drivers")
        || text.contains("/Gate")) {
      for (Map.Entry<String, String> name : NAMES.entrySet()) {
        result = renamed(result, name.getKey(), name.getValue());
      }
    }
    return result;
  }

  private static String renamed(String text, String from, String to) {
    int found = text.indexOf(from);
    if (found < 0) {
      return text;
    }
    StringBuilder result = new StringBuilder(text.length() + 64);
    int copied = 0;
    while (found >= 0) {
      if (beginsName(text, found)) {
        result.append(text, copied, found).append(to);
        copied = found + from.length();
      }
      found = text.indexOf(from, found + from.length());
    }
    return result.append(text, copied, text.length()).toString();
  }

  /// Returns true if a name begins at the given index. In a descriptor, a name follows an `L` that
  /// begins the descriptor of a type.
  private static boolean beginsName(String text, int at) {
    if (at == 0) {
      return true;
    }
    char before = text.charAt(at - 1);
    if (before == 'L') {
      return at == 1 || "[()<;:+-*^VZBSCIJFD".indexOf(text.charAt(at - 2)) >= 0;
    }
    return !Character.isJavaIdentifierPart(before) && before != '/' && before != '.';
  }
}
