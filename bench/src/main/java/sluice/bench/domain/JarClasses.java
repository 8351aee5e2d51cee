package sluice.bench.domain;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.domain.translate.Refused;
import sluice.domain.translate.Translator;
import sluice.verify.ClassFiles;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.Verifier;

/// Verifies or translates all classes of one jar; a call handles one jar. Owned by the worker's
/// main thread.
final class JarClasses implements Work {
  /// The jars, by the beginnings of their names.
  static final List<String> NAMES =
      List.of("gson", "commons-csv", "commons-text", "commons-compress");

  @FunctionalInterface
  private interface Step {
    /// @return a result, so that no compiler removes the work
    long of(byte[] bytes);
  }

  private final Map<String, byte[]> classes = new HashMap<>();
  private final List<byte[]> inOrder = new ArrayList<>();
  private final Step step;
  private final boolean isOfComponent;
  private final CostTable costs = CostTable.standard();
  private long bytes;
  private long nanos;
  private int calls;

  private JarClasses(String jar, Step step) throws IOException {
    this(jar, step, false);
  }

  private JarClasses(String jar, Step step, boolean isOfComponent) throws IOException {
    this.step = step;
    this.isOfComponent = isOfComponent;
    for (Path path : DomainWorks.jars()) {
      if (String.valueOf(path.getFileName()).startsWith(jar + "-")) {
        ClassFiles.read(path, this::add);
      }
    }
    if (inOrder.isEmpty()) {
      throw new IOException("no jar " + jar + " on the class path");
    }
  }

  private void add(String origin, byte[] file) {
    classes.put(ClassFile.of().parse(file).thisClass().asInternalName(), file);
    inOrder.add(file);
    bytes += file.length;
  }

  static Work of(String bench, String name, String system) throws Exception {
    if (name.equals(VerifyBench.STORE) && bench.equals(VerifyBench.TRANSLATE)) {
      return new DomainLoading(system);
    }
    if (!NAMES.contains(name)) {
      throw WorkCase.unknown(name, system);
    }
    return switch (bench + " " + system) {
      case VerifyBench.VERIFY + " " + VerifyBench.OURS ->
          new JarClasses(name, file -> file.length, true);
      case VerifyBench.VERIFY + " " + VerifyBench.CHECK ->
          new JarClasses(name, file -> ClassFile.of().verify(file).size());
      case VerifyBench.TRANSLATE + " " + VerifyBench.OURS -> translated(name);
      case VerifyBench.VERIFY + " " + VerifyBench.PARSE,
          VerifyBench.TRANSLATE + " " + VerifyBench.PARSE ->
          new JarClasses(name, JarClasses::rewritten);
      default -> throw WorkCase.unknown(name, system);
    };
  }

  private static Work translated(String name) throws IOException {
    Translator translator = new Translator();
    JarClasses[] self = new JarClasses[1];
    self[0] =
        new JarClasses(
            name,
            file -> {
              try {
                return translator.translate(file, self[0].classes::get).length;
              } catch (Refused e) {
                return 0; // a refused class was examined as well
              }
            });
    return self[0];
  }

  /// Returns the size of a class that was parsed and written, which is the least that every tool
  /// that changes classes does.
  private static long rewritten(byte[] file) {
    ClassModel model = ClassFile.of().parse(file);
    return ClassFile.of()
        .transformClass(
            model,
            java.lang.classfile.ClassTransform.transformingMethodBodies(
                java.lang.classfile.CodeTransform.ACCEPT_ALL))
        .length;
  }

  @Override
  public long run(int times) {
    long result = 0;
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      if (isOfComponent) {
        Component component = new Component();
        inOrder.forEach(file -> component.add("class", file));
        result += Verifier.verify(component, costs, Limits.DEFAULT).verdicts().size();
      } else {
        for (byte[] file : inOrder) {
          result += step.of(file);
        }
      }
    }
    nanos += System.nanoTime() - start;
    calls += times;
    return result;
  }

  /// Returns the metrics of all calls since the last one.
  @Override
  public Map<String, Double> extra() {
    Map<String, Double> found = new LinkedHashMap<>();
    if (calls > 0) {
      double perJar = (double) nanos / calls;
      found.put("us_per_class", perJar / 1e3 / inOrder.size());
      found.put("ms_per_kb", perJar / 1e6 / (bytes / 1024.0));
      found.put("mb_per_s", bytes / perJar * 1e9 / (1 << 20));
    }
    nanos = 0;
    calls = 0;
    return found;
  }
}
