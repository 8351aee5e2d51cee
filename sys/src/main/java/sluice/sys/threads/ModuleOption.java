package sluice.sys.threads;

/// Options of the JVM that name a module, for use in messages. Stateless and safe for use by any
/// thread.
public final class ModuleOption {
  private ModuleOption() {}

  /// Returns an option that opens, exports or grants something to the module of a class. A class on
  /// the class path belongs to no named module, so the option names `ALL-UNNAMED`.
  ///
  /// @param option the option without the module that benefits, such as `--add-opens
  ///   java.base/java.lang`
  /// @param user the class that needs the option
  public static String to(String option, Class<?> user) {
    return option + "=" + moduleOf(user);
  }

  /// Returns the name by which options of the JVM refer to the module of a class.
  public static String moduleOf(Class<?> user) {
    Module module = user.getModule();
    return module.isNamed() ? module.getName() : "ALL-UNNAMED";
  }
}
