package sluice.domain.portal.copy;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// Copies objects of one class. A copier is stateless, so any thread may use it with its own
/// context.
interface Copier {
  /// Returns the receiver's copy of an object, which is never null.
  Object copy(Object source, CopyContext context);

  /// Copies one element of a list and the following elements of the same class. Implementations
  /// contain a separate loop, into which the compiler inlines the copy.
  ///
  /// @param first the element at index `at`, of this copier's class
  /// @return the index of the first element that was not copied
  @SuppressWarnings("NonApiType") // the compiler inlines the methods of this class
  default int run(
      Object first,
      ArrayList<?> from,
      int at,
      int size,
      ArrayList<@Nullable Object> to,
      CopyContext context) {
    to.add(copy(first, context));
    return at + 1;
  }
}
