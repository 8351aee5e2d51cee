package sluice.bench.domain;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.verify.ClassFiles;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.MethodVerdict;
import sluice.verify.Verifier;

/// Measures the share of ten libraries that the verifier accepts. Stateless.
final class AdmittedShare {
  /// The libraries, by the names of their jars.
  static final List<String> LIBRARIES =
      List.of(
          "commons-lang3",
          "commons-codec",
          "commons-io",
          "commons-compress",
          "commons-text",
          "commons-csv",
          "gson",
          "netty-codec-http",
          "tomcat-embed-core",
          "mariadb-java-client");

  private static final int SMALL = 64;
  private static final int NO_ACCESSOR = 8;

  private AdmittedShare() {}

  /// Returns a table with a line for each library. Its methods are verified with the default
  /// limits.
  ///
  /// @param classPath contains the jars
  static String table(String classPath) throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("accepted, in per cent (small: at most 64 bytecodes)\n");
    line(out, "library", "methods", "all", "small", "small, from 8");
    for (String library : LIBRARIES) {
      Path jar = jar(classPath, library);
      if (jar == null) {
        throw new IOException("no jar " + library + " on the class path");
      }
      Component component = new Component();
      ClassFiles.read(jar, component::add);
      List<MethodVerdict> verdicts =
          Verifier.verify(component, CostTable.standard(), Limits.DEFAULT).verdicts();
      line(
          out,
          String.valueOf(jar.getFileName()).replace(".jar", ""),
          Integer.toString(verdicts.size()),
          share(verdicts, _ -> true),
          share(verdicts, method -> method.size() <= SMALL),
          share(verdicts, method -> method.size() <= SMALL && method.size() >= NO_ACCESSOR));
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String... cells) {
    out.append(String.format(Locale.ROOT, "%-34s %8s %6s %6s %14s%n", (Object[]) cells));
  }

  private static @Nullable Path jar(String classPath, String library) {
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      if (String.valueOf(Path.of(entry).getFileName()).matches(library + "-[0-9].*\\.jar")) {
        return Path.of(entry);
      }
    }
    return null;
  }

  private static String share(List<MethodVerdict> verdicts, Predicate<MethodVerdict> which) {
    List<MethodVerdict> of = new ArrayList<>(verdicts);
    of.removeIf(which.negate());
    long accepted = of.stream().filter(MethodVerdict::isAccepted).count();
    return of.isEmpty() ? "-" : String.format(Locale.ROOT, "%.1f", 100.0 * accepted / of.size());
  }
}
