package sluice.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import sluice.cli.compare.CompareCommand;

/// The model of all commands, which is used for shell completion. It contains the picocli commands,
/// the command `serve` as parsed from its help text, and the commands of the launcher script. The
/// latter are compared with the launcher and its help by `CompletionTest`. Instances are confined
/// to the main thread.
final class CommandModel {
  static final List<String> EXAMPLES =
      List.of(
          "c-handler",
          "dns",
          "file",
          "flow",
          "greeting",
          "host",
          "interruptlet",
          "isocket",
          "messages",
          "pf4j",
          "plugin",
          "rpc",
          "schedulers",
          "search");

  static final List<String> BENCHES =
      List.of(
          ("echo http idle files poller nfs selector front mix site plugin handler isocket churn"
                  + " petstore iozone start fuse portal scheduler domain verify translate revoke"
                  + " region vi xdp")
              .split(" ", -1));

  private static final Pattern OPTION =
      Pattern.compile("(?m)^  (--[a-z-]+)(?: ([A-Z][^ ]*))? {2,}(.*)$");

  /// The values that are described in words in the help of `serve`.
  private static final Map<String, List<String>> VALUES =
      Map.of(
          "--backend", List.of("auto", "io_uring", "epoll", "poll", "jdk"),
          "--symlinks", List.of("refuse", "inside", "follow"),
          "--etag", List.of("inode", "content", "mtime-size"),
          "--handlers", List.of("virtual", "loop"),
          "--log-format", List.of("combined", "json"));

  private CommandModel() {}

  /// Returns the command `sluice` with all its subcommands.
  static CommandLine all() {
    CommandLine all = Commands.commandLine();
    add(all, serve());
    add(all, run());
    add(
        all,
        command("test", "Runs the tests of this tree.")
            .addOption(flag("--quick", "What has changed since the last green run."))
            .addOption(flag("--acceptance", "Also suites of other projects, and slow tests."))
            .addOption(option("--only", "CLASS", "One test class, or CLASS#METHOD.").build())
            .addOption(option("--seed", "N", "The seed of random tests.").build()));
    add(
        all,
        command("package", "Makes packages of this tree.")
            .addOption(option("--output", "DIR", "Where they go.").build())
            .addPositional(names("KIND", List.of("archive", "deb", "image"))));
    add(all, command("prepare", "Records the start-up caches where this copy lies."));
    add(all, command("example", "Runs an example.").addPositional(names("NAME", EXAMPLES)));
    add(
        all,
        command("bench", "Makes a reproducible comparison.").addPositional(names("NAME", BENCHES)));
    return all;
  }

  private static void add(CommandLine all, CommandSpec command) {
    all.addSubcommand(command.name(), new CommandLine(command));
  }

  private static CommandSpec command(String name, String description) {
    CommandSpec command = CommandSpec.create().name(name).mixinStandardHelpOptions(true);
    command.usageMessage().description(description);
    return command;
  }

  private static CommandSpec serve() {
    CommandSpec serve = command("serve", "Serves a directory over HTTP/1.1.");
    Matcher option = OPTION.matcher(ServeOptions.USAGE);
    while (option.find()) {
      OptionSpec.Builder builder = option(option.group(1), option.group(2), option.group(3));
      List<String> values = VALUES.get(option.group(1));
      serve.addOption((values == null ? builder : builder.completionCandidates(values)).build());
    }
    return serve.addPositional(
        PositionalParamSpec.builder().index("0").paramLabel("DIR").type(Path.class).build());
  }

  private static CommandSpec run() {
    CommandSpec run = command("run", "Starts an unmodified Java server on Sluice's selectors.");
    run.addOption(
        option("--backend", "NAME", "Selectors and channels.")
            .completionCandidates(List.of("auto", "readiness", "completion", "jdk"))
            .build());
    run.addOption(option("--static", "DIR", "Files that are answered first.").build());
    run.addOption(option("--cache", "MIB", "Memory for cacheable replies.").build());
    run.addOption(option("--access-log", "FILE", "A line for each such reply.").build());
    run.addOption(
        option("--log-format", "FORMAT", "How these lines look.")
            .completionCandidates(List.of("combined", "json"))
            .build());
    run.addOption(flag("--compare", "Measures whether it is worth it."));
    for (OptionSpec each : CommandSpec.forAnnotatedObject(new CompareCommand()).options()) {
      if (!run.optionsMap().containsKey(each.longestName())) {
        run.addOption(each);
      }
    }
    return run.addPositional(
        PositionalParamSpec.builder().index("0").paramLabel("JAR").type(Path.class).build());
  }

  /// Creates an option.
  ///
  /// @param label the label of the value, or null for a flag
  private static OptionSpec.Builder option(
      String name, @Nullable String label, String description) {
    OptionSpec.Builder builder = OptionSpec.builder(name).description(description);
    if (label == null) {
      return builder.arity("0").type(boolean.class);
    }
    boolean isFile = label.matches("FILE|DIR|.*=FILE|.*=JAR");
    return builder.arity("1").paramLabel(label).type(isFile ? Path.class : String.class);
  }

  private static OptionSpec flag(String name, String description) {
    return option(name, null, description).build();
  }

  private static PositionalParamSpec names(String label, List<String> names) {
    return PositionalParamSpec.builder()
        .index("0")
        .paramLabel(label)
        .type(String.class)
        .completionCandidates(names)
        .build();
  }
}
