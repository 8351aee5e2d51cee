package sluice.cli.console;

import picocli.CommandLine;

/// The version in the jar's module descriptor. Any thread may ask.
public final class Version implements CommandLine.IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "sluice " + Version.class.getModule().getDescriptor().rawVersion().orElse("(not packaged)")
    };
  }
}
