package sluice.domain.carrier;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The fields of carriers, in words, for the reader of a run that has failed.
final class Dump {
  private Dump() {}

  /// Returns a line for each object, of the fields that its own class has.
  static String of(List<?> objects) {
    StringBuilder lines = new StringBuilder();
    for (Object each : objects) {
      lines.append("\n  ").append(name(each)).append(':');
      for (Field field : each.getClass().getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          lines.append(' ').append(field.getName()).append('=').append(name(get(field, each)));
        }
      }
    }
    return lines.toString();
  }

  private static String name(@Nullable Object value) {
    return switch (value) {
      case Processor processor -> "processor " + processor.index();
      case Worker worker -> worker.getName();
      case Slot<?> slot -> slot.isEmpty() ? "empty" : "full";
      case Meter meter -> "of " + meter.current();
      case LocalScheduler local -> local.isNeeded() ? "needed" : "not needed";
      case QueueTerms terms -> (terms.isCooperative() ? "cooperative " : "") + terms.cpus();
      case Carriers _, RunQueue.Guest _ -> "...";
      case null, default -> String.valueOf(value);
    };
  }

  private static @Nullable Object get(Field field, Object of) {
    try {
      field.setAccessible(true);
      return field.get(of);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Returns the objects of several lists in one.
  static List<Object> all(List<?>... lists) {
    List<Object> all = new ArrayList<>();
    for (List<?> each : lists) {
      all.addAll(each);
    }
    return all;
  }
}
