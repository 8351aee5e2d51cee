package sluice.acceptance.suites;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One of the JDK's tests as its leading comment describes it. Immutable.
///
/// @param file the source
/// @param modules options of compiler and JVM that open what the test needs of the JDK
/// @param libraries directories of sources beside the test's own
/// @param builds classes that nothing in the source names, such as providers
/// @param actions what is to be run, in order
record JdkTest(
    Path file,
    List<String> modules,
    List<Path> libraries,
    List<String> builds,
    List<Action> actions) {
  private static final Pattern TAG =
      Pattern.compile("^[ *]*@(test|run|modules|library|build)\\b(.*)$");

  /// What a test may take that names no time, and how much longer all may take: the JDK's own
  /// makefiles give its harness such a factor, since no test is to fail on a time.
  private static final long DEFAULT_SECONDS = 60;

  private static final int TIME_FACTOR = 4;

  /// One `@run`.
  ///
  /// @param kind `main`, `junit`, `testng` or something that is not run here
  /// @param seconds the time it may take
  /// @param options of the JVM
  /// @param arguments the class, then its arguments
  record Action(String kind, long seconds, List<String> options, List<String> arguments) {}

  /// @param root of the JDK's `test` directory
  /// @return a test without actions when the file is none
  static JdkTest parse(Path file, Path root) throws IOException {
    List<String> modules = new ArrayList<>();
    List<Path> libraries = new ArrayList<>();
    List<String> builds = new ArrayList<>();
    List<Action> actions = new ArrayList<>();
    boolean isTest = false;
    for (String tag : tags(Files.readString(file, StandardCharsets.UTF_8))) {
      List<String> words = new ArrayList<>(List.of(tag.strip().split("\\s+", -1)));
      String name = words.removeFirst();
      switch (name) {
        case "test" -> isTest = true;
        case "modules" -> words.forEach(word -> modules.addAll(exports(word)));
        case "library" -> {
          for (String word : words) {
            libraries.add(
                word.startsWith("/")
                    ? root.resolve(word.substring("/test/".length()))
                    : file.resolveSibling(word).normalize());
          }
        }
        case "build" -> builds.addAll(words);
        case "run" -> actions.add(action(words));
        default -> {}
      }
    }
    if (isTest && actions.isEmpty()) {
      String main = file.getFileName().toString().replace(".java", "");
      actions.add(new Action("main", DEFAULT_SECONDS, List.of(), List.of(main)));
    }
    // Some actions are about a provider that they name themselves.
    actions.removeIf(action -> action.options().toString().contains("spi.SelectorProvider="));
    return new JdkTest(file, modules, libraries, builds, isTest ? actions : List.of());
  }

  /// Tags with the lines that continue them.
  private static List<String> tags(String text) {
    List<String> tags = new ArrayList<>();
    boolean inside = false;
    boolean comment = false;
    for (String line : text.lines().toList()) {
      comment |= line.stripLeading().startsWith("/*");
      Matcher matcher = TAG.matcher(line.replaceFirst("^\\s*/\\*+", ""));
      if (comment && matcher.matches()) {
        tags.add(matcher.group(1) + matcher.group(2).replace("*/", ""));
        inside = true;
      } else if (inside && line.matches("\\s*\\*?\\s+[^@*/].*")) {
        tags.add(tags.removeLast() + " " + line.replaceFirst("^[\\s*]+", "").replace("*/", ""));
      } else {
        inside = false;
      }
      if (line.contains("*/")) {
        comment = false;
        inside = false;
      }
    }
    return tags;
  }

  private static List<String> exports(String module) {
    if (!module.contains("/")) {
      return List.of();
    }
    String[] parts = module.split(":", 2);
    String option = parts.length > 1 && parts[1].contains("open") ? "--add-opens=" : "";
    String target = parts[0] + "=ALL-UNNAMED";
    return option.isEmpty()
        ? List.of("--add-exports=" + target)
        : List.of("--add-exports=" + target, option + target);
  }

  private static Action action(List<String> words) {
    String[] kind = words.removeFirst().split("/", -1);
    long seconds = DEFAULT_SECONDS;
    for (String modifier : kind) {
      if (modifier.startsWith("timeout=")) {
        seconds = Math.max(seconds, Long.parseLong(modifier.substring("timeout=".length())));
      }
      if (modifier.equals("native")) {
        kind[0] = "native";
      }
    }
    List<String> options = new ArrayList<>();
    while (!words.isEmpty() && words.getFirst().startsWith("-")) {
      options.add(words.removeFirst());
    }
    return new Action(kind[0], TIME_FACTOR * seconds, options, List.copyOf(words));
  }

  /// The sources to compile; what they name is found by the compiler.
  List<Path> sources() {
    List<Path> sources = new ArrayList<>(List.of(file));
    List<Path> places = new ArrayList<>(List.of(directory()));
    places.addAll(libraries);
    for (String build : builds) {
      for (Path place : places) {
        Path source = place.resolve(build.replace('.', '/') + ".java");
        if (Files.exists(source) && !sources.contains(source)) {
          sources.add(source);
        }
      }
    }
    return sources;
  }

  /// Where the source is.
  Path directory() {
    return file.resolveSibling("");
  }
}
