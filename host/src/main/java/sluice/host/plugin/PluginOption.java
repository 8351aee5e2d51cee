package sluice.host.plugin;

import java.nio.file.Path;
import sluice.domain.Budget;

/// A plug-in named on the command line. Immutable.
///
/// @param prefix the path that it answers, including all paths below
/// @param jar the jar of the plug-in
/// @param budget the limits of its domain
/// @param budgetText the budget as the user wrote it, for messages; or empty
/// @param terms the limits on its calls
record PluginOption(String prefix, Path jar, Budget budget, String budgetText, PluginTerms terms) {
  PluginOption withBudget(Budget other, String text) {
    return new PluginOption(prefix, jar, other, text, terms);
  }

  PluginOption withTerms(PluginTerms other) {
    return new PluginOption(prefix, jar, budget, budgetText, other);
  }
}
