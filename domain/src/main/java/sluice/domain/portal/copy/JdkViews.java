package sluice.domain.portal.copy;

import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.AbstractMap.SimpleEntry;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Date;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Copiers for values of the JDK of which there are many classes: buffers, entries, paths; and
/// dates. Any thread.
final class JdkViews {
  private static final Class<?> ENTRY = Map.entry(1, 1).getClass();

  private JdkViews() {}

  static void addTo(Map<Class<?>, Copier> known) {
    known.put(Date.class, JdkViews::date);
    Class<?> path = FileSystems.getDefault().getPath("").getClass();
    if (Counterparts.isOfJdk(path)) {
      known.put(path, JdkViews::path);
    }
  }

  static @Nullable Copier of(Class<?> type) {
    if (!Counterparts.isOfJdk(type)) {
      return null;
    }
    if (ByteBuffer.class.isAssignableFrom(type)) {
      return JdkViews::buffer;
    }
    return Map.Entry.class.isAssignableFrom(type) ? JdkViews::entry : null;
  }

  /// It can be set, so it is not shared.
  @SuppressWarnings("JavaUtilDate") // what the sender chose
  private static Object date(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    context.enter(source, 32);
    return context.built(source, new Date(((Date) source).getTime()));
  }

  /// Of the JVM's own file system; a path of another leads to that.
  private static Object path(Object source, CopyContext context) {
    if (((Path) source).getFileSystem() != FileSystems.getDefault()) {
      throw CopyRefused.notPortable(
          source.getClass(), "its file system is the sender's.", "pass its toUri().");
    }
    context.charge(64 + 4L * source.toString().length());
    return source;
  }

  /// What is between position and limit, in a buffer on the heap of just that size.
  private static Object buffer(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    ByteBuffer from = (ByteBuffer) source;
    try {
      ByteBuffer part = from.duplicate(); // the sender may move the other
      int length = part.remaining();
      context.enter(source, 64L + length);
      ByteBuffer copy = ByteBuffer.allocate(length).put(part).flip();
      ByteBuffer made = from.isReadOnly() ? copy.asReadOnlyBuffer() : copy;
      return context.built(source, made.order(from.order()));
    } catch (IllegalStateException e) {
      throw CopyRefused.notPortable(
          ByteBuffer.class, "its memory was given back.", "pass a buffer whose arena lives.");
    } catch (InternalError e) {
      throw CopyRefused.changed(source); // the file under a mapped one was cut
    }
  }

  /// An entry of a map, which would lead to its neighbours, becomes one that cannot change.
  private static Object entry(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    Map.Entry<?, ?> from = (Map.Entry<?, ?>) source;
    context.enter(source, 32);
    Object key = context.any(from.getKey());
    Object value = context.any(from.getValue());
    if (source instanceof SimpleEntry) {
      return context.built(source, new SimpleEntry<>(key, value));
    }
    boolean hasBoth = source.getClass() == ENTRY && key != null && value != null;
    return context.built(
        source, hasBoth ? Map.entry(key, value) : new SimpleImmutableEntry<>(key, value));
  }
}
