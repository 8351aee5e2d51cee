package sluice.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.host.text.Nearest;

/// Implements the command `sluice completion`, which prints a script that completes commands,
/// options and values. It runs in the main thread.
@Command(
    name = "completion",
    description = "Prints a script that completes commands, options and values in a shell.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "bash, zsh: source <(sluice completion bash)",
      "fish:      sluice completion fish | source",
      "In .bashrc, .zshrc or config.fish it holds for every shell."
    })
final class CompletionCommand implements Callable<Integer> {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  String shell = "";

  @Override
  public Integer call() {
    String script =
        switch (shell) {
          case "bash", "zsh" -> AutoComplete.bash("sluice", CommandModel.all());
          case "fish" -> FishCompletion.of("sluice", CommandModel.all());
          default ->
              throw new ParameterException(
                  spec.commandLine(),
                  "there is no completion for '"
                      + shell
                      + "': known are bash, zsh and fish"
                      + Nearest.fix(shell, SHELLS));
        };
    spec.commandLine().getOut().print(script);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
