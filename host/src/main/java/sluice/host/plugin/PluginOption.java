package sluice.host.plugin;

import java.nio.file.Path;
import sluice.domain.Budget;

/// A plug-in that is specified on the command line. Instances are immutable.
///
/// @param prefix the path whose requests are answered by the plug-in, including all paths below it
/// @param jar the jar of the plug-in
/// @param budget the limits of its domain
/// @param budgetText the budget as specified by the user, for messages, or an empty string
/// @param terms the limits on its calls
record PluginOption(String prefix, Path jar, Budget budget, String budgetText, PluginTerms terms) {
  PluginOption withBudget(Budget other, String text) {
    return new PluginOption(prefix, jar, other, text, terms);
  }

  PluginOption withTerms(PluginTerms other) {
    return new PluginOption(prefix, jar, budget, budgetText, other);
  }
}
