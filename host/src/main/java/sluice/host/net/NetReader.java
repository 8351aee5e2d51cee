package sluice.host.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.host.file.Values;
import sluice.loop.engine.Backend;
import sluice.net.Ipv4Prefix;
import sluice.net.transport.StackOption;
import sluice.vi.Nic;

/// Reads the settings of one network from a table or a command line. Instances are confined to the
/// thread that reads.
final class NetReader {
  private static final String DEVICE = "device";
  private static final String STACK = "stack";
  private static final String INTERFACE = "interface";
  private static final String ADDRESS = "address";
  private static final String VIA = "via";
  private static final String QUEUES = "queues";
  private static final String BACKEND = "backend";
  private static final String TAP = "tap";
  private static final String XDP = "xdp";
  private static final String RING = "ring";

  /// The keys of a table, in the order in which they are listed in messages.
  static final List<String> KEYS = List.of(DEVICE, INTERFACE, ADDRESS, VIA, QUEUES, STACK, BACKEND);

  private static final List<String> PARTS = List.of(INTERFACE, ADDRESS, VIA, QUEUES);
  private static final Set<String> WITH_STACK = Set.of(TAP, XDP);
  private static final String WORDS = "xdp:eth0,10.0.0.2/24";
  private static final int MOST_QUEUES = 99;

  private final String name;
  private final Values values;

  private NetReader(String name, Values values) {
    this.name = name;
    this.values = values;
  }

  /// Reads the settings. Errors are collected in the values.
  ///
  /// @param otherwise the device to use if none is specified
  static NetSettings read(String name, Values values, String otherwise) {
    return new NetReader(name, values).settings(otherwise);
  }

  private NetSettings settings(String otherwise) {
    StackOption words = values.parsed(STACK, WORDS, StackOption::parse);
    String device = device(otherwise, words);
    StackOption stack = null;
    if (!WITH_STACK.contains(device)) {
      values.take(() -> requireNoStack(device));
    } else if (values.has(STACK)) {
      values.take(() -> requireStackAlone(device, words));
      stack = words;
    } else {
      stack = values.takeOrNull(() -> parts(device));
    }
    if (!device.equals(RING)) {
      values.take(() -> requireNoBackend(device));
    }
    Backend backend = values.parsed(BACKEND, Backend.AUTO, "auto", Backend::parse);
    return new NetSettings(name, WITH_STACK.contains(device) ? XDP : device, stack, backend);
  }

  private String device(String otherwise, @Nullable StackOption stack) {
    return values.take(
        otherwise,
        () -> {
          String named = values.string(DEVICE);
          if (named == null) {
            if (values.has(STACK)) {
              return stack == null ? XDP : stack.driver();
            }
            if (otherwise.isEmpty()) {
              throw values.wrong(
                  DEVICE, "[net." + name + "] has no device", values.example(DEVICE, "local"));
            }
            return otherwise;
          }
          List<String> known = new ArrayList<>(Nic.names());
          known.add(TAP);
          if (!known.contains(named)) {
            throw values.wrong(
                DEVICE,
                values.name(DEVICE) + " takes " + String.join(", ", known) + ", not " + named,
                values.example(DEVICE, "local"));
          }
          return named;
        });
  }

  private void requireNoStack(String device) {
    List<String> given = new ArrayList<>(PARTS);
    given.add(STACK);
    given.removeIf(key -> !values.has(key));
    if (!given.isEmpty() && !device.isEmpty()) {
      String key = given.getFirst();
      throw values.wrong(
          key,
          values.name(key) + " goes with a device that has a network stack, not with " + device,
          values.example(DEVICE, XDP) + ", or leave " + values.name(key) + " out");
    }
  }

  private void requireStackAlone(String device, @Nullable StackOption stack) {
    for (String key : PARTS) {
      if (values.has(key)) {
        throw values.wrong(
            key,
            values.name(key) + " is given beside " + values.name(STACK) + ", which has it in it",
            "leave one of the two out");
      }
    }
    if (stack != null && device.equals(TAP) && !stack.driver().equals(TAP)) {
      throw values.wrong(
          STACK,
          values.name(STACK) + " is of " + stack.driver() + ", and the device is " + device,
          values.example(DEVICE, stack.driver()));
    }
  }

  private void requireNoBackend(String device) {
    if (values.has(BACKEND) && !device.isEmpty()) {
      throw values.wrong(
          BACKEND,
          values.name(BACKEND) + " goes with the device ring, not with " + device,
          values.example(DEVICE, RING) + ", or leave " + values.name(BACKEND) + " out");
    }
  }

  /// Returns a stack whose interface, address and other properties are specified by separate
  /// values.
  private Optional<StackOption> parts(String device) {
    if (PARTS.stream().noneMatch(values::has)) {
      throw values.wrong(
          DEVICE,
          "the device " + device + " needs an interface and an address of its own",
          values.example(
              STACK, device + (device.equals(TAP) ? ":tap0" : ":eth0") + ",10.0.0.2/24"));
    }
    values.take(() -> requireGiven(INTERFACE, device.equals(TAP) ? "tap0" : "eth0"));
    values.take(() -> requireGiven(ADDRESS, "10.0.0.2/24"));
    String named = values.parsed(INTERFACE, "eth0", text -> text);
    Ipv4Prefix prefix = values.parsed(ADDRESS, "10.0.0.2/24", Ipv4Prefix::parse);
    int gateway = values.parsed(VIA, 0, "10.0.0.1", Ipv4Prefix::parseAddress);
    int queues = (int) values.number(QUEUES, 0, 1, MOST_QUEUES);
    if (values.has(QUEUES) && device.equals(TAP)) {
      throw values.wrong(
          QUEUES, "queues goes with the device xdp, not with tap", "leave queues out");
    }
    if (named == null || prefix == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(new StackOption(device, named, prefix, gateway, queues));
    } catch (IllegalArgumentException e) {
      throw values.wrong(INTERFACE, e.getMessage(), values.example(INTERFACE, "eth0"));
    }
  }

  private void requireGiven(String key, String example) {
    if (!values.has(key)) {
      throw values.wrong(key, "[net." + name + "] has no " + key, values.example(key, example));
    }
  }
}
