package sluice.host.life;

/// The version and the commit of this build. This class is thread-safe.
public final class BuildVersion {
  /// The environment variable that is set by the launcher. The launcher determines the commit from
  /// git or from the package.
  private static final String COMMIT = "SLUICE_COMMIT";

  private BuildVersion() {}

  /// Returns the version of the module, or `(not packaged)` if it was not loaded from a jar.
  public static String version() {
    return BuildVersion.class.getModule().isNamed()
        ? BuildVersion.class.getModule().getDescriptor().rawVersion().orElse("(not packaged)")
        : "(not packaged)";
  }

  /// Returns the commit as hexadecimal digits, followed by `-dirty` if the tree had changes.
  /// Returns `unknown` if the commit was not set by the launcher.
  public static String commit() {
    String commit = System.getenv(COMMIT);
    return commit != null && commit.matches("[0-9a-f]{7,40}(-dirty)?") ? commit : "unknown";
  }
}
