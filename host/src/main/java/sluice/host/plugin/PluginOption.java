package sluice.host.plugin;

import java.nio.file.Path;
import sluice.domain.Budget;

/// One plug-in as the command line names it. Immutable.
///
/// @param prefix the path that it answers, with all paths below
/// @param budgetText as it was written, for messages; empty when none was
record PluginOption(String prefix, Path jar, Budget budget, String budgetText, PluginTerms terms) {
  PluginOption withBudget(Budget other, String text) {
    return new PluginOption(prefix, jar, other, text, terms);
  }

  PluginOption withTerms(PluginTerms other) {
    return new PluginOption(prefix, jar, budget, budgetText, other);
  }
}
