package sluice.cli;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import sluice.cli.SourceTree.SourceFile;

/// The rules of STYLE.md that need a parsed source file. The files are parsed with the JDK's
/// compiler; no names are resolved.
final class JavaRules {
  static final int METHOD_LINES = 70;
  static final int PARAMETERS = 6;

  private JavaRules() {}

  static List<String> check(SourceFile file) throws IOException {
    return check(List.of(file));
  }

  /// Returns the violations in all files. A single compiler parses them, because creating one takes
  /// longer than parsing a file.
  static List<String> check(Collection<SourceFile> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Map<String, SourceFile> byPath = new HashMap<>();
    List<Source> sources = new ArrayList<>();
    for (SourceFile file : files) {
      byPath.put("/" + file.path(), file);
      sources.add(new Source(file));
    }
    JavacTask task = (JavacTask) compiler.getTask(null, null, problem -> {}, null, null, sources);
    List<String> broken = new ArrayList<>();
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    for (CompilationUnitTree unit : task.parse()) {
      SourceFile file = Objects.requireNonNull(byPath.get(unit.getSourceFile().toUri().getPath()));
      new Scanner(file, unit, positions, broken).scan(unit, null);
    }
    return broken;
  }

  /// A source file in the form that the compiler needs.
  private static final class Source extends SimpleJavaFileObject {
    private final SourceFile file;

    Source(SourceFile file) {
      super(URI.create("string:///" + file.path()), Kind.SOURCE);
      this.file = file;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return file.text();
    }
  }

  /// Visits the syntax tree of one file.
  private static final class Scanner extends TreePathScanner<Void, Void> {
    private final SourceFile file;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> broken;
    private final LineMap lines;

    Scanner(
        SourceFile file, CompilationUnitTree unit, SourcePositions positions, List<String> broken) {
      this.file = file;
      this.unit = unit;
      this.positions = positions;
      this.broken = broken;
      this.lines = unit.getLineMap();
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
      boolean isPublic = type.getModifiers().getFlags().contains(Modifier.PUBLIC);
      if (file.isMain() && isPublic && !hasDocumentation(type)) {
        report(type, "public type " + type.getSimpleName() + " has no /// comment");
      }
      return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      long start = positions.getStartPosition(unit, method);
      long end = positions.getEndPosition(unit, method);
      if (end >= 0) {
        long length = lines.getLineNumber(end) - lines.getLineNumber(start) + 1;
        if (length > METHOD_LINES) {
          report(method, method.getName() + " has " + length + " lines, at most " + METHOD_LINES);
        }
        boolean isConstructor = method.getName().contentEquals("<init>");
        int parameters = method.getParameters().size();
        if (parameters > PARAMETERS && !(isConstructor && isRecord())) {
          report(
              method,
              method.getName() + " has " + parameters + " parameters, at most " + PARAMETERS);
        }
        checkName(method);
      }
      return super.visitMethod(method, null);
    }

    private boolean isRecord() {
      return getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
    }

    private void checkName(MethodTree method) {
      boolean overrides =
          method.getModifiers().getAnnotations().stream()
              .anyMatch(annotation -> annotation.getAnnotationType().toString().equals("Override"));
      String name = method.getName().toString();
      if (file.isMain()
          && !overrides
          && method.getParameters().isEmpty()
          && name.matches("get[A-Z].*")) {
        report(method, "accessors have no get: " + name);
      }
    }

    /// Returns true if a Markdown comment ends on the line before the type's annotations and
    /// modifiers.
    private boolean hasDocumentation(ClassTree type) {
      long line = lines.getLineNumber(positions.getStartPosition(unit, type));
      List<String> text = file.lines();
      return line >= 2 && text.get((int) line - 2).strip().startsWith("///");
    }

    private void report(Tree tree, String what) {
      long line = lines.getLineNumber(positions.getStartPosition(unit, tree));
      broken.add(String.format(Locale.ROOT, "%s:%d: %s", file.path(), line, what));
    }
  }
}
