package sluice.domain.portal.copy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.*;
import java.util.AbstractMap.SimpleEntry;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.ConcurrentModificationException;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The copiers for JDK values and collections. Any thread may call.
///
/// Immutable values are shared. Collections are rebuilt from their elements, so hashes and order
/// are determined by the receiver's classes. The iterators of these collections run no code of
/// their elements.
final class JdkCopiers {
  private static final Class<?> ENTRY = Map.entry(1, 1).getClass();
  private static final IdentityHashMap<Class<?>, Copier> KNOWN = new IdentityHashMap<>();

  /// The stateless JDK comparators, which are available on both sides.
  private static final Set<Comparator<?>> ORDERS =
      Collections.newSetFromMap(new IdentityHashMap<>());

  static {
    ORDERS.add(Comparator.naturalOrder());
    ORDERS.add(Comparator.reverseOrder());
    ORDERS.add(String.CASE_INSENSITIVE_ORDER);
    values();
    sizedValues();
    lists();
    hashed();
    sorted();
    addViews(KNOWN);
  }

  private JdkCopiers() {}

  static @Nullable Copier of(Class<?> type) {
    if (EnumSet.class.isAssignableFrom(type) && Counterparts.isOfJdk(type)) {
      return JdkCopiers::enumSet;
    }
    if (ZoneId.class.isAssignableFrom(type) && Counterparts.isOfJdk(type)) {
      return shared(64);
    }
    Copier known = KNOWN.get(type);
    return known == null ? ofView(type) : known;
  }

  static Copier shared(int bytes) {
    return (source, context) -> {
      context.charge(bytes);
      return source;
    };
  }

  private static void values() {
    List<Class<?>> small =
        List.of(
            Integer.class,
            Long.class,
            Short.class,
            Byte.class,
            Character.class,
            Boolean.class,
            Float.class,
            Double.class,
            UUID.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            Duration.class,
            Instant.class,
            LocalDate.class,
            Period.class,
            LocalTime.class,
            MonthDay.class,
            Year.class,
            YearMonth.class);
    small.forEach(type -> KNOWN.put(type, shared(32)));
    List<Class<?>> larger =
        List.of(
            LocalDateTime.class,
            OffsetDateTime.class,
            OffsetTime.class,
            ZonedDateTime.class,
            Locale.class,
            Currency.class);
    larger.forEach(type -> KNOWN.put(type, shared(128)));
  }

  /// Adds values whose size depends on their content.
  private static void sizedValues() {
    KNOWN.put(
        String.class,
        (source, context) -> {
          context.charge(24 + 2L * ((String) source).length());
          return source;
        });
    KNOWN.put(
        URI.class,
        (source, context) -> {
          context.charge(128 + 4L * source.toString().length());
          return source;
        });
    KNOWN.put(
        BigInteger.class,
        (source, context) -> {
          context.charge(64 + ((BigInteger) source).bitLength() / 8);
          return source;
        });
    KNOWN.put(
        BigDecimal.class,
        (source, context) -> {
          context.charge(104 + ((BigDecimal) source).unscaledValue().bitLength() / 8);
          return source;
        });
    KNOWN.put(
        BitSet.class,
        (source, context) -> {
          Object met = context.met(source);
          if (met != null) {
            return met;
          }
          context.enter(source, 40 + ((BitSet) source).size() / 8);
          return context.built(source, BitSet.valueOf(((BitSet) source).toLongArray()));
        });
    KNOWN.put(
        Optional.class,
        (source, context) -> {
          Object met = context.met(source);
          if (met != null) {
            return met;
          }
          context.enter(source, 16);
          Object value = ((Optional<?>) source).orElse(null);
          return context.built(source, Optional.ofNullable(context.any(value)));
        });
  }

  @SuppressWarnings("JdkObsolete") // the sender chose the class
  private static void lists() {
    KNOWN.put(ArrayList.class, JdkCopiers::arrayList);
    KNOWN.put(LinkedList.class, collection(_ -> new LinkedList<>(), 24));
    KNOWN.put(ArrayDeque.class, collection(ArrayDeque::new, 8));
    KNOWN.put(CopyOnWriteArrayList.class, collection(_ -> new CopyOnWriteArrayList<>(), 8));
    KNOWN.put(PriorityQueue.class, JdkCopiers::queue);
    // Views are only copied if they belong to lists of the JDK's own classes, because other views
    // may refer to a list of any class.
    KNOWN.put(new ArrayList<>(List.of(1)).subList(0, 1).getClass(), collection(ArrayList::new, 8));
    UnaryOperator<List<Object>> fixed =
        list -> list.contains(null) ? Collections.unmodifiableList(list) : List.copyOf(list);
    KNOWN.put(List.of(1, 2, 3).subList(0, 2).getClass(), immutable(fixed));
    for (List<?> sample : List.of(List.of(), List.of(1), List.of(1, 2, 3))) {
      KNOWN.put(sample.getClass(), immutable(fixed));
    }
    KNOWN.put(Collections.emptyList().getClass(), immutable(_ -> Collections.emptyList()));
    KNOWN.put(
        Collections.singletonList(1).getClass(),
        immutable(list -> Collections.singletonList(list.get(0))));
    KNOWN.put(Arrays.asList(1).getClass(), immutable(list -> Arrays.asList(list.toArray())));
  }

  private static Object arrayList(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    ArrayList<?> from = (ArrayList<?>) source;
    int size = from.size();
    context.enter(source, 40 + 8L * size);
    ArrayList<@Nullable Object> copy = new ArrayList<>(size);
    context.shell(source, copy);
    int i = 0;
    while (i < size) {
      Object element = element(from, i);
      if (element == null || element instanceof String) {
        copy.add(context.string(element));
        i++;
      } else {
        i = context.copier(element.getClass()).run(element, from, i, size, copy, context);
      }
    }
    context.complete();
    return copy;
  }

  /// Returns an element of a list that may be concurrently changed by the sender.
  @SuppressWarnings("NonApiType") // the compiler inlines the methods of this class
  static @Nullable Object element(ArrayList<?> from, int at) {
    try {
      return from.get(at);
    } catch (IndexOutOfBoundsException e) {
      throw CopyRefused.changed(from);
    }
  }

  private static Copier collection(IntFunction<Collection<@Nullable Object>> maker, int bytes) {
    return (source, context) -> {
      Object met = context.met(source);
      if (met != null) {
        return met;
      }
      Collection<?> from = (Collection<?>) source;
      int size = from.size();
      context.enter(source, 40 + (long) bytes * size);
      Collection<@Nullable Object> copy = maker.apply(size);
      context.shell(source, copy);
      copy.addAll(elements(from, size, context));
      context.complete();
      return copy;
    };
  }

  /// Returns a copier for immutable lists, which are created after their elements have been copied.
  private static Copier immutable(UnaryOperator<List<Object>> maker) {
    return (source, context) -> {
      Object met = context.met(source);
      if (met != null) {
        return met;
      }
      List<?> from = (List<?>) source;
      int size = from.size();
      context.enter(source, 40 + 8L * size);
      return context.built(source, maker.apply(elements(from, size, context)));
    };
  }

  /// Copies at most `size` elements of a collection.
  private static List<Object> elements(Collection<?> from, int size, CopyContext context) {
    List<@Nullable Object> copies = new ArrayList<>(size);
    Iterator<?> iterator = from.iterator();
    for (int i = 0; i < size; i++) {
      copies.add(context.any(next(iterator, from)));
    }
    @SuppressWarnings("NullAway") // lists of the JDK may hold null
    List<Object> list = copies;
    return list;
  }

  private static @Nullable Object next(Iterator<?> iterator, Object source) {
    try {
      return iterator.next();
    } catch (ConcurrentModificationException | NoSuchElementException | ClassCastException e) {
      throw CopyRefused.changed(source);
    }
  }

  private static void hashed() {
    KNOWN.put(HashSet.class, (source, context) -> set(source, context, HashSet.newHashSet(8)));
    KNOWN.put(
        LinkedHashSet.class, (source, context) -> set(source, context, new LinkedHashSet<>()));
    KNOWN.put(HashMap.class, map(HashMap::newHashMap));
    KNOWN.put(LinkedHashMap.class, map(LinkedHashMap::newLinkedHashMap));
    KNOWN.put(ConcurrentHashMap.class, map(ConcurrentHashMap::new));
    KNOWN.put(IdentityHashMap.class, map(IdentityHashMap::new));
    for (Set<?> sample : List.of(Set.of(), Set.of(1), Set.of(1, 2, 3))) {
      KNOWN.put(sample.getClass(), fixedSet());
    }
    for (Map<?, ?> sample : List.of(Map.of(), Map.of(1, 1), Map.of(1, 1, 2, 2))) {
      KNOWN.put(sample.getClass(), fixedMap());
    }
    KNOWN.put(Collections.emptyMap().getClass(), fixedMap());
    KNOWN.put(Collections.emptySet().getClass(), fixedSet());
    KNOWN.put(Collections.singleton(1).getClass(), fixedSet());
    KNOWN.put(EnumMap.class, JdkCopiers::enumMap);
  }

  private static Copier fixedSet() {
    return (source, context) -> {
      Object met = context.met(source);
      if (met != null) {
        return met;
      }
      Set<?> from = (Set<?>) source;
      int size = from.size();
      context.enter(source, 40 + 8L * size);
      List<Object> elements = elements(from, size, context);
      elements.forEach(each -> context.hash(elements, each));
      Object copy =
          elements.contains(null) ? Collections.singleton(elements.get(0)) : Set.copyOf(elements);
      return context.built(source, copy);
    };
  }

  private static Copier fixedMap() {
    return (source, context) -> {
      Object met = context.met(source);
      if (met != null) {
        return met;
      }
      Map<?, ?> from = (Map<?, ?>) source;
      int size = from.size();
      context.enter(source, 40 + 16L * size);
      Map<Object, Object> copy = HashMap.newHashMap(size);
      put(pairs(from, size, context), copy, context);
      return context.built(source, Map.copyOf(copy));
    };
  }

  private static Object set(Object source, CopyContext context, Set<Object> copy) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    Set<?> from = (Set<?>) source;
    int size = from.size();
    context.enter(source, 64 + 48L * size);
    context.shell(source, copy);
    int before = context.backEdges();
    List<Object> elements = elements(from, size, context);
    if (context.backEdges() == before) {
      addAll(copy, elements, context);
    } else {
      context.fillLate(() -> addAll(copy, elements, context));
    }
    context.complete();
    return copy;
  }

  private static void addAll(Set<Object> copy, List<Object> elements, CopyContext context) {
    for (Object element : elements) {
      context.hash(copy, element);
      copy.add(element);
    }
  }

  static Copier map(IntFunction<Map<Object, Object>> maker) {
    return (source, context) -> {
      Object met = context.met(source);
      if (met != null) {
        return met;
      }
      int size = ((Map<?, ?>) source).size();
      context.enter(source, 64 + 56L * size);
      return filled(source, size, context, maker.apply(size));
    };
  }

  /// Fills a map. Entries are added immediately as long as no key has led back to an incomplete
  /// object.
  private static Object filled(
      Object source, int size, CopyContext context, Map<Object, Object> copy) {
    Map<?, ?> from = (Map<?, ?>) source;
    context.shell(source, copy);
    int before = context.backEdges();
    @Nullable List<@Nullable Object> late = null;
    Iterator<? extends Map.Entry<?, ?>> iterator = from.entrySet().iterator();
    for (int i = 0; i < size; i++) {
      Map.Entry<?, ?> entry = entry(iterator, from);
      Object key = context.any(entry.getKey());
      Object value = context.any(entry.getValue());
      if (context.backEdges() == before) {
        put(copy, key, value, context);
        continue;
      }
      if (late == null) {
        List<@Nullable Object> pairs = new ArrayList<>();
        context.fillLate(() -> put(pairs.toArray(), copy, context));
        late = pairs;
      }
      late.add(key);
      late.add(value);
    }
    context.complete();
    return copy;
  }

  private static @Nullable Object[] pairs(Map<?, ?> from, int size, CopyContext context) {
    @Nullable Object[] pairs = new Object[2 * size];
    Iterator<? extends Map.Entry<?, ?>> iterator = from.entrySet().iterator();
    for (int i = 0; i < pairs.length; i += 2) {
      Map.Entry<?, ?> entry = entry(iterator, from);
      pairs[i] = context.any(entry.getKey());
      pairs[i + 1] = context.any(entry.getValue());
    }
    return pairs;
  }

  private static Map.Entry<?, ?> entry(
      Iterator<? extends Map.Entry<?, ?>> iterator, Map<?, ?> from) {
    if (next(iterator, from) instanceof Map.Entry<?, ?> entry) {
      return entry;
    }
    throw CopyRefused.changed(from);
  }

  @SuppressWarnings("NullAway") // maps of the JDK may hold null
  private static void put(
      Map<Object, Object> copy, @Nullable Object key, @Nullable Object value, CopyContext context) {
    if (!(copy instanceof IdentityHashMap)) {
      context.hash(copy, key);
    }
    copy.put(key, value);
  }

  @SuppressWarnings("NullAway") // maps of the JDK may hold null
  private static void put(@Nullable Object[] pairs, Map<Object, Object> copy, CopyContext context) {
    for (int i = 0; i < pairs.length; i += 2) {
      put(copy, pairs[i], pairs[i + 1], context);
    }
  }

  private static Object queue(Object source, CopyContext context) {
    PriorityQueue<?> from = (PriorityQueue<?>) source;
    Comparator<Object> order = order(source, from.comparator());
    return collection(_ -> new PriorityQueue<>(order), 8).copy(source, context);
  }

  private static void sorted() {
    KNOWN.put(
        TreeSet.class,
        (source, context) ->
            set(
                source,
                context,
                new TreeSet<>(order(source, ((SortedSet<?>) source).comparator()))));
    KNOWN.put(
        TreeMap.class,
        (source, context) ->
            map(_ -> new TreeMap<>(order(source, ((SortedMap<?, ?>) source).comparator())))
                .copy(source, context));
  }

  @SuppressWarnings("unchecked") // it compared the elements
  private static @Nullable Comparator<Object> order(Object source, @Nullable Comparator<?> order) {
    if (order == null || ORDERS.contains(order)) {
      return (Comparator<Object>) order;
    }
    throw CopyRefused.notPortable(
        source.getClass(),
        "its comparator is code of the sender.",
        "use the natural or reverse order, or pass the elements in a list.");
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the class of the enum is known at run time only
  private static Object enumSet(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    EnumSet<?> from = (EnumSet<?>) source;
    int size = from.size();
    context.enter(source, 48);
    EnumSet<?> any = size > 0 ? from : EnumSet.complementOf(from);
    if (any.isEmpty()) {
      throw CopyRefused.notPortable(
          EnumSet.class, "its enum has no constants.", "pass an empty list.");
    }
    Class<?> target = declaring(next(any.iterator(), from), context);
    EnumSet copy = EnumSet.noneOf((Class) target);
    copy.addAll(elements(from, size, context));
    return context.built(source, copy);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the class of the enum is known at run time only
  private static Object enumMap(Object source, CopyContext context) {
    EnumMap<?, ?> from = (EnumMap<?, ?>) source;
    Iterator<?> keys = from.keySet().iterator();
    if (!keys.hasNext()) {
      throw CopyRefused.notPortable(
          EnumMap.class, "an empty one does not tell its enum.", "pass Map.of() if it is empty.");
    }
    Class<?> target = declaring(next(keys, from), context);
    return map(_ -> new EnumMap(target)).copy(source, context);
  }

  private static Class<?> declaring(@Nullable Object constant, CopyContext context) {
    if (constant == null) {
      throw new IllegalStateException("an enum's constant is null");
    }
    return context.counterparts().of(((Enum<?>) constant).getDeclaringClass());
  }

  // ---- values of which the JDK has many classes ------------------------------------------------

  private static void addViews(Map<Class<?>, Copier> known) {
    known.put(Date.class, JdkCopiers::date);
    Class<?> path = FileSystems.getDefault().getPath("").getClass();
    if (Counterparts.isOfJdk(path)) {
      known.put(path, JdkCopiers::path);
    }
  }

  private static @Nullable Copier ofView(Class<?> type) {
    if (!Counterparts.isOfJdk(type)) {
      return null;
    }
    if (ByteBuffer.class.isAssignableFrom(type)) {
      return JdkCopiers::buffer;
    }
    return Map.Entry.class.isAssignableFrom(type) ? JdkCopiers::entry : null;
  }

  /// Copies a date. It is mutable, so it cannot be shared.
  @SuppressWarnings("JavaUtilDate") // the sender chose the class
  private static Object date(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    context.enter(source, 32);
    return context.built(source, new Date(((Date) source).getTime()));
  }

  /// Shares a path of the JVM's default file system. A path of another file system is refused,
  /// because it would provide access to that file system.
  private static Object path(Object source, CopyContext context) {
    if (((Path) source).getFileSystem() != FileSystems.getDefault()) {
      throw CopyRefused.notPortable(
          source.getClass(), "its file system is the sender's.", "pass its toUri().");
    }
    context.charge(64 + 4L * source.toString().length());
    return source;
  }

  /// Copies the bytes between position and limit to a heap buffer of that size.
  private static Object buffer(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    ByteBuffer from = (ByteBuffer) source;
    try {
      ByteBuffer part = from.duplicate(); // the sender may move the original
      int length = part.remaining();
      context.enter(source, 64L + length);
      ByteBuffer copy = ByteBuffer.allocate(length).put(part).flip();
      ByteBuffer made = from.isReadOnly() ? copy.asReadOnlyBuffer() : copy;
      return context.built(source, made.order(from.order()));
    } catch (IllegalStateException e) {
      throw CopyRefused.notPortable(
          ByteBuffer.class, "its memory was given back.", "pass a buffer whose arena lives.");
    } catch (InternalError e) {
      throw CopyRefused.changed(source); // the file under a mapped buffer was truncated
    }
  }

  /// Copies a map entry as an immutable entry, because an entry of a map would provide access to
  /// its neighbors.
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
