package sluice.domain.portal.copy;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// Copies objects of one class. Has no state of its own: any thread may use it, with its own
/// context.
interface Copier {
  /// The receiver's object; never null.
  Object copy(Object source, CopyContext context);

  /// Copies one element of a list, and those after it as long as they are of the same class: a loop
  /// of the copier's own, into which the compiler inlines the copy.
  ///
  /// @param first what stood at `at`, of the class of this copier
  /// @return the place of the first that was not copied
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
