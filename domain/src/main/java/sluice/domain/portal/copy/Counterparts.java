package sluice.domain.portal.copy;

/// Maps the sender's classes to the receiver's classes with the same names. A JDK class maps to
/// itself. Any thread may call.
final class Counterparts {
  private final ClassLoader receiver;

  /// @param receiver the loader that defines the classes of the copies
  Counterparts(ClassLoader receiver) {
    this.receiver = receiver;
  }

  static boolean isOfJdk(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader == ClassLoader.getPlatformClassLoader();
  }

  /// Returns the receiver's class with the same name.
  ///
  /// @throws CopyRefused if the receiver has none
  Class<?> of(Class<?> type) {
    if (type.isPrimitive()) {
      return type;
    }
    if (type.isArray()) {
      return of(type.getComponentType()).arrayType();
    }
    try {
      return Class.forName(type.getName(), false, receiver);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new CopyRefused(
          CopyRefused.Reason.MISMATCH,
          type.getTypeName(),
          "the receiver has no class of that name.",
          "put the class into the receiver's class path.",
          e);
    }
  }
}
