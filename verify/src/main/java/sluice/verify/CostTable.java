package sluice.verify;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The costs of methods outside of the component, and the methods that are refused by name.
/// Instances are immutable.
///
/// Each line has the form `OWNER.NAME DESCRIPTOR KEY VALUE …` or `refuse OWNER.NAME REASON`. In the
/// second form, the name `*` matches all methods, and an owner that ends with `/` matches all
/// classes of a package. The word `static` before the name means that there is no receiver. The
/// line `class OWNER` allows the use of the static fields of a class. A comment starts with `#`.
///
/// | key | value |
/// |---|---|
/// | `work` | the bytecodes: a sum of numbers, `length(I)` and `value(I)` of arguments, `declared` |
/// | `bytes` | the allocated bytes, a sum |
/// | `returns` | `LOW..SUM`, the range of a number |
/// | `length` | the length of the returned object, a sum |
/// | `index` | the argument that is less than the length of argument 0 when the call returns |
/// | `keeps` | the argument that the receiver keeps and may return later |
/// | `unless` | a class whose methods are called: no bound if the component extends the class |
public final class CostTable {
  private final Map<String, Cost> costs = new HashMap<>();
  private final Map<String, Reason> refused = new HashMap<>();
  private final Set<String> classes = new HashSet<>();

  private CostTable() {}

  /// Returns the standard table, which contains the methods of the JDK and of Sluice.
  public static CostTable standard() {
    return new CostTable().with("costs.txt", resource());
  }

  private static String resource() {
    try (InputStream in = CostTable.class.getResourceAsStream("costs.txt")) {
      if (in == null) {
        throw new IllegalStateException("costs.txt is missing in the module");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns a copy of this table with additional lines, which override existing lines.
  ///
  /// @param name the name of the file, for messages
  /// @param text the lines
  /// @throws IllegalArgumentException with the name, the line number and the error
  public CostTable with(String name, String text) {
    CostTable table = new CostTable();
    table.costs.putAll(costs);
    table.refused.putAll(refused);
    table.classes.addAll(classes);
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String words = line.replaceAll("#.*$", "").strip();
      try {
        if (!words.isEmpty()) {
          table.add(words.split("\\s+", -1));
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            name
                + ":"
                + number
                + ": "
                + e.getMessage()
                + "; a line is OWNER.NAME DESCRIPTOR work"
                + " SUM [bytes SUM] [returns LOW..SUM] [length SUM] [index ARGUMENT]"
                + " [keeps ARGUMENT] [unless CLASS]",
            e);
      }
    }
    return table;
  }

  private void add(String[] words) {
    if (words[0].equals("refuse") && words.length == 3) {
      refused.put(words[1], Reason.valueOf(words[2].toUpperCase(Locale.ROOT).replace('-', '_')));
      return;
    }
    if (words[0].equals("class") && words.length == 2) {
      classes.add(words[1]);
      return;
    }
    int first = words[0].equals("static") ? 1 : 0;
    int dot = words.length < first + 4 ? -1 : words[first].lastIndexOf('.');
    if (dot < 1 || (words.length - first) % 2 != 0) {
      throw new IllegalArgumentException("words are missing");
    }
    String name = words[first];
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(words[first + 1]);
    costs.put(name + words[first + 1], cost(words, first + 2, arrays(type, first == 1)));
    classes.add(name.substring(0, dot));
  }

  private static boolean[] arrays(MethodTypeDesc type, boolean isStatic) {
    int receiver = isStatic ? 0 : 1;
    boolean[] arrays = new boolean[type.parameterCount() + receiver];
    for (int i = receiver; i < arrays.length; i++) {
      ClassDesc parameter = type.parameterType(i - receiver);
      arrays[i] = parameter.isArray();
    }
    return arrays;
  }

  private static Cost cost(String[] words, int from, boolean[] arrays) {
    Cost.Sum work = null;
    Cost.Sum bytes = Cost.Sum.ZERO;
    Cost.Sum high = null;
    Cost.Sum length = null;
    long low = 0;
    int index = -1;
    int kept = -1;
    String unless = null;
    for (int i = from; i < words.length; i += 2) {
      String value = words[i + 1];
      switch (words[i]) {
        case "work" -> work = Cost.Sum.parse(value, arrays);
        case "bytes" -> bytes = Cost.Sum.parse(value, arrays);
        case "length" -> length = Cost.Sum.parse(value, arrays);
        case "index" -> index = Integer.parseInt(value);
        case "unless" -> unless = value;
        case "keeps" -> kept = Integer.parseInt(value);
        case "returns" -> {
          int dots = value.indexOf("..");
          low = Long.parseLong(value.substring(0, Math.max(0, dots)));
          high = Cost.Sum.parse(value.substring(dots + 2), arrays);
        }
        default -> throw new IllegalArgumentException("unknown key " + words[i]);
      }
    }
    int last = Math.max(index, kept);
    if (work == null || last >= arrays.length) {
      throw new IllegalArgumentException(work == null ? "no work" : "no argument " + last);
    }
    return new Cost(work, bytes, low, high, length, index, kept, unless);
  }

  /// Returns the cost of a method, or null if the table does not contain the method.
  @Nullable Cost find(String owner, String signature) {
    return costs.get(owner + "." + signature);
  }

  /// Returns the reason why a method is refused by name, or null if it is not refused.
  @Nullable Reason refusal(String owner, String name) {
    Reason reason = refused.get(owner + "." + name);
    if (reason == null) {
      reason = refused.get(owner + ".*");
    }
    for (int slash = owner.lastIndexOf('/'); reason == null && slash > 0; ) {
      reason = refused.get(owner.substring(0, slash + 1) + ".*");
      slash = owner.lastIndexOf('/', slash - 1);
    }
    return reason;
  }

  /// Returns true if the table contains the given class. Such a class is assumed to be initialized.
  boolean knows(String owner) {
    return classes.contains(owner);
  }

  /// Returns the number of methods in this table that have a cost.
  public int size() {
    return costs.size();
  }
}
