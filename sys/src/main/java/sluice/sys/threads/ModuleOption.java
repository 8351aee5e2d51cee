package sluice.sys.threads;

/// JVM options that refer to a module, for use in messages. This class is stateless and
/// thread-safe.
public final class ModuleOption {
  private ModuleOption() {}

  /// Returns an option that opens, exports or grants something to the module of a class. A class on
  /// the class path does not belong to a named module, so the option refers to `ALL-UNNAMED` in
  /// this case.
  ///
  /// @param option the option without the target module, such as `--add-opens java.base/java.lang`
  /// @param user the class that needs the option
  public static String to(String option, Class<?> user) {
    return option + "=" + moduleOf(user);
  }

  /// Returns the name by which JVM options refer to the module of a class.
  public static String moduleOf(Class<?> user) {
    Module module = user.getModule();
    return module.isNamed() ? module.getName() : "ALL-UNNAMED";
  }
}
