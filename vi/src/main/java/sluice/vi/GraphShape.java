package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The format in which values of a declared type are stored in a buffer. Immutable after creation,
/// so any thread may use it.
abstract class GraphShape {
  /// An object that has already been read, and its shape.
  record Known(GraphShape shape, Object value) {}

  private static final Map<Class<?>, ValueLayout> PRIMITIVES =
      Map.of(
          byte.class, JAVA_BYTE,
          boolean.class, JAVA_BYTE,
          short.class, ValueLayout.JAVA_SHORT_UNALIGNED,
          char.class, ValueLayout.JAVA_CHAR_UNALIGNED,
          int.class, JAVA_INT_UNALIGNED,
          float.class, ValueLayout.JAVA_FLOAT_UNALIGNED,
          long.class, ValueLayout.JAVA_LONG_UNALIGNED,
          double.class, ValueLayout.JAVA_DOUBLE_UNALIGNED);

  private final Type type;

  GraphShape(Type type) {
    this.type = type;
  }

  /// Returns the shape of the given type.
  ///
  /// @param made the shapes that were already created for this graph, so that each type has only
  ///   one
  /// @throws IllegalArgumentException if values of the type cannot be stored in a buffer
  static GraphShape of(Type type, Map<Type, GraphShape> made) {
    GraphShape known = made.get(type);
    if (known != null) {
      return known;
    }
    if (type instanceof Class<?> plain && PRIMITIVES.containsKey(plain)) {
      return new Primitive(plain);
    }
    GraphShape shape =
        type == String.class
            ? new Text()
            : type instanceof Class<?> plain && plain.isRecord()
                ? new Composite(plain)
                : type instanceof Class<?> array
                        && array.isArray()
                        && array != boolean[].class
                        && PRIMITIVES.containsKey(array.componentType())
                    ? new Numbers(array)
                    : type instanceof ParameterizedType list && list.getRawType() == List.class
                        ? new Elements(list)
                        : null;
    if (shape == null) {
      throw new IllegalArgumentException(
          type.getTypeName()
              + " cannot stand in a buffer. Fix: primitives, strings, arrays of primitives,"
              + " records, or lists of these");
    }
    made.put(type, shape);
    shape.complete(made);
    return shape;
  }

  /// Resolves the shapes of the components.
  void complete(Map<Type, GraphShape> made) {}

  /// Writes a value, or a reference to an object that is already in the buffer.
  ///
  /// @return the position after the written bytes
  long write(
      MemorySegment to,
      long at,
      @Nullable Object value,
      IdentityHashMap<Object, Integer> known,
      int depth) {
    Integer index = value == null ? null : known.get(value);
    if (value == null || index != null) {
      to.set(JAVA_INT_UNALIGNED, at, index == null ? 0 : -index);
      return at + Integer.BYTES;
    }
    checkDepth(depth);
    to.set(JAVA_INT_UNALIGNED, at, 1);
    long behind = writeContent(to, at + Integer.BYTES, value, known, depth + 1);
    known.put(value, known.size() + 1);
    return behind;
  }

  @Nullable Object read(GraphCursor from, List<Known> known, int depth) {
    int reference = from.number();
    if (reference == 0) {
      return null;
    }
    if (reference < 0 && reference >= -known.size()) {
      Known earlier = known.get(-reference - 1);
      if (earlier.shape != this) {
        throw new IllegalArgumentException("a reference to another type");
      }
      return earlier.value;
    }
    if (reference != 1) {
      throw new IllegalArgumentException("a reference to no object: " + reference);
    }
    checkDepth(depth);
    Object value = readContent(from, known, depth + 1);
    known.add(new Known(this, value));
    return value;
  }

  private static void checkDepth(int depth) {
    if (depth >= ViGraph.MAX_DEPTH) {
      throw new IllegalArgumentException(
          "deeper than " + ViGraph.MAX_DEPTH + " objects. Fix: shorter chains of records");
    }
  }

  abstract long writeContent(
      MemorySegment to, long at, Object value, IdentityHashMap<Object, Integer> known, int depth);

  abstract Object readContent(GraphCursor from, List<Known> known, int depth);

  @Override
  public String toString() {
    return type.getTypeName();
  }

  /// The shape of a primitive component, which is stored without a reference.
  private static final class Primitive extends GraphShape {
    private final Class<?> type;
    private final int bytes;

    Primitive(Class<?> type) {
      super(type);
      this.type = type;
      bytes = (int) layout(type).byteSize();
    }

    private static ValueLayout layout(Class<?> type) {
      ValueLayout layout = PRIMITIVES.get(type);
      if (layout == null) {
        throw new IllegalArgumentException(type + " is no primitive");
      }
      return layout;
    }

    @Override
    long write(
        MemorySegment to,
        long at,
        @Nullable Object value,
        IdentityHashMap<Object, Integer> known,
        int depth) {
      switch (value) {
        case Byte number -> to.set(JAVA_BYTE, at, number);
        case Boolean truth -> to.set(JAVA_BYTE, at, (byte) (truth ? 1 : 0));
        case Short number -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, number);
        case Character letter -> to.set(ValueLayout.JAVA_CHAR_UNALIGNED, at, letter);
        case Integer number -> to.set(JAVA_INT_UNALIGNED, at, number);
        case Float number -> to.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, number);
        case Long number -> to.set(ValueLayout.JAVA_LONG_UNALIGNED, at, number);
        case Double number -> to.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, number);
        case null, default -> throw new IllegalStateException("no " + type);
      }
      return at + bytes;
    }

    @Override
    Object read(GraphCursor from, List<Known> known, int depth) {
      MemorySegment segment = from.segment();
      long at = from.pass(bytes);
      return switch (type.descriptorString()) {
        case "B" -> segment.get(JAVA_BYTE, at);
        case "Z" -> segment.get(JAVA_BYTE, at) != 0;
        case "S" -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
        case "C" -> segment.get(ValueLayout.JAVA_CHAR_UNALIGNED, at);
        case "I" -> segment.get(JAVA_INT_UNALIGNED, at);
        case "F" -> segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
        case "J" -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        default -> segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
      };
    }

    @Override
    long writeContent(
        MemorySegment to,
        long at,
        Object value,
        IdentityHashMap<Object, Integer> known,
        int depth) {
      throw new IllegalStateException("a primitive has no reference");
    }

    @Override
    Object readContent(GraphCursor from, List<Known> known, int depth) {
      throw new IllegalStateException("a primitive has no reference");
    }
  }

  private static final class Text extends GraphShape {
    Text() {
      super(String.class);
    }

    @Override
    long writeContent(
        MemorySegment to,
        long at,
        Object value,
        IdentityHashMap<Object, Integer> known,
        int depth) {
      byte[] bytes = ((String) value).getBytes(StandardCharsets.UTF_8);
      to.set(JAVA_INT_UNALIGNED, at, bytes.length);
      MemorySegment.copy(bytes, 0, to, JAVA_BYTE, at + Integer.BYTES, bytes.length);
      return at + Integer.BYTES + bytes.length;
    }

    @Override
    Object readContent(GraphCursor from, List<Known> known, int depth) {
      int length = from.count(1);
      byte[] bytes = new byte[length];
      MemorySegment.copy(from.segment(), JAVA_BYTE, from.pass(length), bytes, 0, length);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private static final class Numbers extends GraphShape {
    private final Class<?> component;
    private final ValueLayout layout;

    Numbers(Class<?> array) {
      super(array);
      component = array.componentType();
      layout = Primitive.layout(component);
    }

    @Override
    long writeContent(
        MemorySegment to,
        long at,
        Object value,
        IdentityHashMap<Object, Integer> known,
        int depth) {
      int length = Array.getLength(value);
      to.set(JAVA_INT_UNALIGNED, at, length);
      MemorySegment.copy(value, 0, to, layout, at + Integer.BYTES, length);
      return at + Integer.BYTES + length * layout.byteSize();
    }

    @Override
    Object readContent(GraphCursor from, List<Known> known, int depth) {
      int length = from.count((int) layout.byteSize());
      Object array = Array.newInstance(component, length);
      long at = from.pass(length * layout.byteSize());
      MemorySegment.copy(from.segment(), layout, at, array, 0, length);
      return array;
    }
  }

  private static final class Elements extends GraphShape {
    private final Type element;
    private @Nullable GraphShape shape;

    Elements(ParameterizedType list) {
      super(list);
      element = list.getActualTypeArguments()[0];
    }

    @Override
    void complete(Map<Type, GraphShape> made) {
      shape = GraphShape.of(element, made);
    }

    private GraphShape shape() {
      GraphShape found = shape;
      if (found == null) {
        throw new IllegalStateException("not complete");
      }
      return found;
    }

    @Override
    long writeContent(
        MemorySegment to,
        long at,
        Object value,
        IdentityHashMap<Object, Integer> known,
        int depth) {
      List<?> list = (List<?>) value;
      to.set(JAVA_INT_UNALIGNED, at, list.size());
      long behind = at + Integer.BYTES;
      for (Object each : list) {
        behind = shape().write(to, behind, each, known, depth);
      }
      return behind;
    }

    @Override
    Object readContent(GraphCursor from, List<Known> known, int depth) {
      int count = from.count(Integer.BYTES); // each has a reference at least
      List<@Nullable Object> list = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        list.add(shape().read(from, known, depth));
      }
      return Collections.unmodifiableList(list);
    }
  }

  /// The shape of a record, which uses method handles that are created once.
  private static final class Composite extends GraphShape {
    private final RecordComponent[] components;
    private final MethodHandle[] accessors;
    private final MethodHandle constructor;
    private final GraphShape[] shapes;

    Composite(Class<?> type) {
      super(type);
      components = type.getRecordComponents();
      accessors = new MethodHandle[components.length];
      shapes = new GraphShape[components.length];
      Class<?>[] types =
          Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      try {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        for (int i = 0; i < components.length; i++) {
          accessors[i] =
              lookup
                  .unreflect(components[i].getAccessor())
                  .asType(MethodType.methodType(Object.class, Object.class));
        }
        constructor =
            lookup
                .findConstructor(type, MethodType.methodType(void.class, types))
                .asSpreader(Object[].class, types.length)
                .asType(MethodType.methodType(Object.class, Object[].class));
      } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException(
            type.getName() + " cannot be accessed. Fix: make it public, in an exported package", e);
      }
    }

    @Override
    void complete(Map<Type, GraphShape> made) {
      for (int i = 0; i < components.length; i++) {
        shapes[i] = GraphShape.of(components[i].getGenericType(), made);
      }
    }

    @Override
    long writeContent(
        MemorySegment to,
        long at,
        Object value,
        IdentityHashMap<Object, Integer> known,
        int depth) {
      long behind = at;
      for (int i = 0; i < shapes.length; i++) {
        behind = shapes[i].write(to, behind, component(i, value), known, depth);
      }
      return behind;
    }

    private @Nullable Object component(int index, Object value) {
      try {
        return accessors[index].invokeExact(value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    Object readContent(GraphCursor from, List<Known> known, int depth) {
      @Nullable Object[] values = new Object[shapes.length];
      for (int i = 0; i < shapes.length; i++) {
        values[i] = shapes[i].read(from, known, depth);
      }
      try {
        return constructor.invokeExact(values);
      } catch (RuntimeException e) {
        throw new IllegalArgumentException("the constructor refuses: " + e.getMessage(), e);
      } catch (Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
