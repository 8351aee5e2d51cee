package sluice.vi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle.AccessMode;
import java.lang.reflect.RecordComponent;
import java.util.Map;

/// A codec for the components of a record class. Its two method handles are created once per class
/// from the constructor and the accessors. Immutable, so any thread may use it.
final class RecordCodec<R extends Record> {
  private static final Map<Class<?>, ValueLayout> LAYOUTS =
      Map.of(
          byte.class, ValueLayout.JAVA_BYTE,
          boolean.class, ValueLayout.JAVA_BOOLEAN,
          short.class, ValueLayout.JAVA_SHORT_UNALIGNED,
          char.class, ValueLayout.JAVA_CHAR_UNALIGNED,
          int.class, ValueLayout.JAVA_INT_UNALIGNED,
          float.class, ValueLayout.JAVA_FLOAT_UNALIGNED,
          long.class, ValueLayout.JAVA_LONG_UNALIGNED,
          double.class, ValueLayout.JAVA_DOUBLE_UNALIGNED);

  private static final ClassValue<RecordCodec<?>> CODECS =
      new ClassValue<>() {
        @Override
        @SuppressWarnings({"unchecked", "rawtypes"})
        protected RecordCodec<?> computeValue(Class<?> type) {
          return new RecordCodec(type);
        }
      };

  private final MethodHandle reader;
  private final MethodHandle writer;
  private final int sizeBytes;

  private RecordCodec(Class<R> type) {
    RecordComponent[] components = type.getRecordComponents();
    MethodType place = MethodType.methodType(void.class, MemorySegment.class, long.class);
    Class<?>[] types = new Class<?>[components.length];
    MethodHandle write = MethodHandles.empty(place.appendParameterTypes(Record.class));
    MethodHandle[] reads = new MethodHandle[components.length];
    int size = 0;
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      for (int i = 0; i < components.length; i++) {
        Class<?> component = components[i].getType();
        ValueLayout layout = LAYOUTS.get(component);
        if (layout == null) {
          throw new IllegalArgumentException(
              type.getName() + "." + components[i].getName() + " is no primitive");
        }
        types[i] = component;
        reads[i] = shifted(layout.varHandle().toMethodHandle(AccessMode.GET), size);
        MethodHandle set = shifted(layout.varHandle().toMethodHandle(AccessMode.SET), size);
        MethodHandle accessor = lookup.unreflect(components[i].getAccessor());
        MethodHandle one =
            MethodHandles.filterArguments(
                set, 2, accessor.asType(MethodType.methodType(component, Record.class)));
        write = MethodHandles.foldArguments(one, write);
        size += (int) layout.byteSize();
      }
      MethodHandle constructor =
          lookup.findConstructor(type, MethodType.methodType(void.class, types));
      reader = reader(constructor, reads);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          type.getName() + " cannot be accessed. Fix: make it public, in an exported package", e);
    }
    if (size == 0) {
      throw new IllegalArgumentException(type.getName() + " has no components");
    }
    writer = write;
    sizeBytes = size;
  }

  @SuppressWarnings("unchecked")
  static <R extends Record> RecordCodec<R> of(Class<R> type) {
    return (RecordCodec<R>) CODECS.get(type);
  }

  /// Returns an access handle that adds `offset` bytes to the given position.
  private static MethodHandle shifted(MethodHandle access, int offset)
      throws NoSuchMethodException, IllegalAccessException {
    MethodHandle add =
        MethodHandles.lookup()
            .findStatic(
                RecordCodec.class,
                "add",
                MethodType.methodType(long.class, long.class, long.class));
    return MethodHandles.filterArguments(
        access, 1, MethodHandles.insertArguments(add, 0, (long) offset));
  }

  @SuppressWarnings("UnusedMethod") // by a method handle
  private static long add(long offset, long place) {
    return offset + place;
  }

  /// Returns a handle that invokes the constructor with arguments read from memory.
  private static MethodHandle reader(MethodHandle constructor, MethodHandle[] reads) {
    MethodHandle all = constructor;
    for (int i = reads.length - 1; i >= 0; i--) {
      all = MethodHandles.collectArguments(all, i, reads[i]);
    }
    int[] order = new int[2 * reads.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = i % 2;
    }
    MethodType type = MethodType.methodType(Record.class, MemorySegment.class, long.class);
    return MethodHandles.permuteArguments(
        all.asType(all.type().changeReturnType(Record.class)), type, order);
  }

  int sizeBytes() {
    return sizeBytes;
  }

  @SuppressWarnings("unchecked")
  R read(MemorySegment segment, long offset) {
    try {
      return (R) (Record) reader.invokeExact(segment, offset);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  void write(MemorySegment segment, long offset, R value) {
    try {
      writer.invokeExact(segment, offset, (Record) value);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
