package sluice.nio;

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import sluice.loop.engine.Backend;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// A JVM of its own for what concerns a whole process. The test's thread starts and ends it.
public final class ChildJvm {
  private ChildJvm() {}

  /// Starts a class of the tests; what it writes goes to our own output.
  ///
  /// @param options of the JVM
  public static ProcessBuilder of(List<String> options, Class<?> main, String... arguments) {
    String classPath =
        Stream.of(main, SluiceSelectorProvider.class, Backend.class, Block.class, Errno.class)
            .map(ChildJvm::place)
            .distinct()
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.INHERIT);
  }

  private static String place(Class<?> type) {
    return Path.of(
            URI.create(
                Objects.requireNonNull(type.getProtectionDomain().getCodeSource())
                    .getLocation()
                    .toString()))
        .toString();
  }
}
