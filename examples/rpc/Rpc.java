import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAttributes;
import sluice.vi.ViException;
import sluice.vi.ViServer;
import sluice.vi.WaitMode;

/// Calls of an object in another process, over a Virtual Interface: one message there, one back.
///
/// Run: `./sluice example rpc [CALLS [DEVICE [WAIT]]]`
final class Rpc {
  /// What the other process offers. Arguments and results are numbers and strings.
  public interface Library {
    long add(long a, long b) throws IOException;

    String greet(String name) throws IOException;

    long divide(long a, long b) throws IOException;
  }

  private static final int TAG = 1;
  private static final int PATIENCE_MICROS = 60_000_000;

  private record Offered() implements Library {
    @Override
    public long add(long a, long b) {
      return a + b;
    }

    @Override
    public String greet(String name) {
      return "hello, " + name;
    }

    @Override
    public long divide(long a, long b) {
      return a / b;
    }
  }

  // ---- the caller ----------------------------------------------------------------------------

  /// An object whose calls go over the VI. One thread calls at a time.
  static <T> T stub(Class<T> type, Vi vi) {
    Method[] methods = methods(type);
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              ByteArrayOutputStream bytes = new ByteArrayOutputStream();
              DataOutputStream out = new DataOutputStream(bytes);
              out.writeByte(Arrays.asList(methods).indexOf(method));
              for (Object argument : arguments == null ? new Object[0] : arguments) {
                write(out, argument);
              }
              byte[] call = bytes.toByteArray();
              vi.send(call, 0, call.length, PATIENCE_MICROS);
              DataInputStream in =
                  new DataInputStream(new ByteArrayInputStream(vi.recv(PATIENCE_MICROS)));
              if (!in.readBoolean()) {
                throw new IOException("the other process: " + in.readUTF());
              }
              return read(in, method.getReturnType());
            }));
  }

  // ---- the other process ---------------------------------------------------------------------

  /// Answers calls until the caller closes its end.
  static <T> void serve(Class<T> type, T object, Vi vi) throws IOException {
    Method[] methods = methods(type);
    while (true) {
      byte[] call;
      try {
        call = vi.recv(Vi.INFINITE);
      } catch (ViException e) {
        return; // the caller has closed its end, or is gone
      }
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(bytes);
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(call));
      try {
        Method method = methods[in.readByte()];
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
          arguments[i] = read(in, method.getParameterTypes()[i]);
        }
        Object result = method.invoke(object, arguments);
        out.writeBoolean(true);
        write(out, result);
      } catch (InvocationTargetException e) {
        out.writeBoolean(false);
        out.writeUTF(String.valueOf(e.getCause()));
      } catch (ReflectiveOperationException | IndexOutOfBoundsException | IOException e) {
        out.writeBoolean(false);
        out.writeUTF("no call of this interface");
      }
      byte[] answer = bytes.toByteArray();
      vi.send(answer, 0, answer.length, PATIENCE_MICROS);
    }
  }

  /// In an order that both processes have.
  private static Method[] methods(Class<?> type) {
    Method[] methods = type.getMethods();
    Arrays.sort(methods, (a, b) -> a.toString().compareTo(b.toString()));
    return methods;
  }

  private static void write(DataOutputStream out, Object value) throws IOException {
    if (value instanceof Long number) {
      out.writeLong(number);
    } else {
      out.writeUTF((String) value);
    }
  }

  private static Object read(DataInputStream in, Class<?> type) throws IOException {
    return type == long.class ? (Object) in.readLong() : in.readUTF();
  }

  // ---- the program ---------------------------------------------------------------------------

  public static void main(String[] args) throws Exception {
    if (args.length == 4 && args[0].equals("serve")) {
      try (Nic nic = Nic.open(args[2]);
          ViServer server = new ViServer(nic.address(args[1]), TAG)) {
        System.out.println("ready");
        try (Vi vi = server.accept(waiting(args[3]), PATIENCE_MICROS)) {
          serve(Library.class, new Offered(), vi);
        }
      }
      return;
    }
    int calls = args.length > 0 ? Integer.parseInt(args[0]) : 20_000;
    String device = args.length > 1 ? args[1] : "local";
    String wait = args.length > 2 ? args[2] : "hybrid";
    if (args.length > 3 || calls < 1 || !List.of("spin", "hybrid", "park").contains(wait)) {
      System.err.println(
          "usage: sluice example rpc [CALLS [local|ring|ofi-shm|ofi-tcp [spin|hybrid|park]]]");
      System.exit(2);
    }
    String place = place(device, "rpc-" + ProcessHandle.current().pid());
    Process other = start("serve", place, device, wait);
    try (Nic nic = Nic.open(device)) {
      if (!"ready".equals(other.inputReader().readLine())) {
        throw new IllegalStateException("the other process did not start");
      }
      try (Vi vi = new Vi(nic.address(place), waiting(wait), null, null, TAG)) {
        call(stub(Library.class, vi), calls);
      }
      if (other.waitFor() != 0) {
        throw new IllegalStateException("the other process ended with " + other.exitValue());
      }
    } finally {
      other.destroy();
    }
  }

  private static void call(Library library, int calls) throws IOException {
    System.out.println(library.greet("from another process"));
    try {
      throw new IllegalStateException("1 / 0 is " + library.divide(1, 0));
    } catch (IOException e) {
      System.out.println(e.getMessage());
    }
    long sum = 0;
    long begin = System.nanoTime();
    for (int i = 0; i < calls; i++) {
      sum = library.add(sum, i);
    }
    double micros = (System.nanoTime() - begin) / 1e3 / calls;
    if (sum != (long) calls * (calls - 1) / 2) {
      throw new IllegalStateException("the sum is " + sum);
    }
    System.out.printf("%d calls, %.1f us each%n", calls, micros);
  }

  /// Where a process listens: of `ring`, a port that is free now.
  private static String place(String device, String name) throws IOException {
    if (!device.equals("ring")) {
      return name;
    }
    try (ServerSocket socket = new ServerSocket(0)) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static ViAttributes waiting(String wait) {
    return ViAttributes.DEFAULT.withWaiting(WaitMode.valueOf(wait.toUpperCase(Locale.ROOT)));
  }

  /// This program again, in another process.
  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=sluice.sys"));
    command.addAll(List.of("--module-path", System.getProperty("jdk.module.path")));
    command.addAll(List.of("--add-modules", "ALL-MODULE-PATH"));
    command.add(System.getProperty("sun.java.command").split(" ")[1]); // the source file
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
