package sluice.bench.domain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/// The data that is passed: a record of 64 bytes, and an order with ten lines, four attributes and
/// an address. Stateless.
public final class Sample {
  private Sample() {}

  /// A record of 64 bytes including its header.
  public record Reading(long at, long from, long to, long sum, double mean, int count, int kind) {}

  /// The address of a delivery.
  public static class Address {
    String street = "Main street 1";
    String city = "Erlangen";
    int zip = 91058;
  }

  /// A line of an order.
  public static class Line {
    long article = 7;
    int quantity = 2;
    double price = 9.5;
    String text = "a line of the order";
  }

  /// An object graph of 22 objects, not counting its strings.
  public static class Order {
    long number = 42;
    String customer = "Golm";
    Address address = new Address();
    ArrayList<Line> lines = new ArrayList<>();
    HashMap<String, String> attributes = new HashMap<>();
    byte[] signature = new byte[64];
  }

  static Reading reading() {
    return new Reading(1, 2, 3, 4, 5, 6, 7);
  }

  static Order order() {
    Order order = new Order();
    for (int i = 0; i < 10; i++) {
      order.lines.add(new Line());
    }
    for (int i = 0; i < 4; i++) {
      order.attributes.put("key" + i, "value" + i);
    }
    return order;
  }

  /// Returns a copy as a programmer would write it.
  static Order copyByHand(Order from) {
    Order to = new Order();
    to.number = from.number;
    to.customer = from.customer;
    to.address.street = from.address.street;
    to.address.city = from.address.city;
    to.address.zip = from.address.zip;
    List<Line> lines = from.lines;
    to.lines = new ArrayList<>(lines.size());
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      Line copy = new Line();
      copy.article = line.article;
      copy.quantity = line.quantity;
      copy.price = line.price;
      copy.text = line.text;
      to.lines.add(copy);
    }
    to.attributes = new HashMap<>(from.attributes);
    to.signature = from.signature.clone();
    return to;
  }
}
