package sluice.domain.portal.copy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Classes that the tests copy. Public, so that another loader's copies can be inspected.
public final class Samples {
  private Samples() {}

  public record Wide(long a, long b, long c, long d, long e, int f, int g) {}

  public record Pair(@Nullable Object first, @Nullable Object second) {}

  public enum Colour {
    RED,
    GREEN {
      @Override
      public String toString() {
        return "green";
      }
    }
  }

  public sealed interface Form permits Circle, Square {}

  public record Circle(double radius) implements Form {}

  public record Square(double side) implements Form {}

  /// An object that refers to others and may be part of a cycle.
  public static final class Node {
    public String name = "";
    public @Nullable Node next;
    public @Nullable Set<Node> friends;

    @Override
    public int hashCode() {
      return name.hashCode();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Node node && node.name.equals(name);
    }
  }

  /// An object whose methods must run only for the receiver.
  public static final class Trap implements Comparable<Trap> {
    public static int calls;
    public int value;

    @Override
    public int hashCode() {
      calls++;
      return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      calls++;
      return other instanceof Trap trap && trap.value == value;
    }

    @Override
    public int compareTo(Trap other) {
      calls++;
      return Integer.compare(value, other.value);
    }
  }

  public record Picky(List<Integer> list) {
    public Picky {
      if (list.isEmpty()) {
        throw new IllegalArgumentException("empty");
      }
    }
  }

  public static class Address {
    @Nullable String street = "Main street 1";
    String city = "Erlangen";
    int zip = 91058;
  }

  public static class Line {
    long sku = 7;
    int quantity = 2;
    double price = 9.5;
    String text = "a line of the order";
  }

  /// An order of twenty objects, including its distinct strings.
  public static class Order {
    long id = 42;
    String customer = "Golm";
    Address address = new Address();
    List<Line> lines = new ArrayList<>();
    Map<String, String> attributes = new HashMap<>();
    byte[] blob = new byte[64];

    static Order sample() {
      Order order = new Order();
      for (int i = 0; i < 10; i++) {
        order.lines.add(new Line());
      }
      for (int i = 0; i < 4; i++) {
        order.attributes.put("key" + i, "value" + i);
      }
      return order;
    }
  }

  public static class Fixed {
    public final int value = new HashSet<>().size();
  }
}
