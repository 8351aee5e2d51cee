package sluice.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Computes an upper bound on the work of one call for each method of a component, or refuses the
/// method. The verifier runs in the calling thread, and its running time is linear in the size of
/// the class files, see [Steps].
///
/// The verdict on a method is determined after the verdicts on its callees. Recursive methods are
/// found by R. Tarjan's algorithm for strongly connected components (1972) with an explicit stack,
/// and are refused.
public final class Verifier {
  /// A method on the path of the search.
  private static final class Node {
    final MethodInfo method;
    final int number;
    final @Nullable Code code;
    final List<MethodInfo> callees;
    int next;
    int lowest;
    boolean callsItself;

    Node(MethodInfo method, int number, @Nullable Code code, List<MethodInfo> callees) {
      this.method = method;
      this.number = number;
      this.code = code;
      this.callees = callees;
      this.lowest = number;
    }
  }

  private final Component component;
  private final Host host;
  private final Map<MethodInfo, Node> open = new HashMap<>(); // not yet decided
  private final List<Node> undecided = new ArrayList<>();
  private int visited;

  private Verifier(Component component, CostTable costs, Limits limits, boolean haveRun) {
    this.component = component;
    this.host = new Host(component, costs, limits, haveRun);
  }

  /// Returns the verdicts on all methods that contain code and on all native methods, in the order
  /// of the class files.
  public static Verification verify(Component component, CostTable costs, Limits limits) {
    return new Verifier(component, costs, limits, false).run();
  }

  /// Returns the verdict on one method that is called by a host. The host executes the initializers
  /// of the used classes before the first call, so these initializers do not require a bound and
  /// are not included in the verdict.
  ///
  /// @param component the component, which must not be used again
  /// @param className the name of the class, with dots; the method may be inherited from another
  ///   class of the component
  /// @param method the name and the descriptor
  public static Verification.Entry entry(
      Component component, CostTable costs, Limits limits, String className, String method) {
    return new Verifier(component, costs, limits, true).run(className.replace('.', '/'), method);
  }

  private Verification.Entry run(String className, String signature) {
    int depth = 0;
    for (ClassInfo at = component.find(className);
        at != null && depth < Component.MAX_DEPTH;
        at = component.superOf(at), depth++) {
      MethodInfo method = at.method(signature);
      if (method != null && !method.has(ClassInfo.ABSTRACT)) {
        search(method);
        return new Verification.Entry(method.verdict(), List.copyOf(host.gate().used()));
      }
    }
    Refusal refusal =
        new Refusal(Reason.UNKNOWN_CALL, 0, "its code is not in the classes that are looked at");
    return new Verification.Entry(
        new MethodVerdict(className.replace('/', '.'), signature, 0, 0, null, refusal), List.of());
  }

  private Verification run() {
    List<MethodVerdict> verdicts = new ArrayList<>();
    for (ClassInfo type : component.classes()) {
      for (MethodInfo method : type.methods().values()) {
        if (!method.has(ClassInfo.ABSTRACT)) {
          if (!method.isDecided()) {
            search(method);
          }
          verdicts.add(method.verdict());
        }
      }
    }
    return new Verification(List.copyOf(verdicts), host.steps().total());
  }

  private void search(MethodInfo root) {
    List<Node> path = new ArrayList<>();
    path.add(enter(root));
    while (!path.isEmpty()) {
      Node at = path.getLast();
      if (at.next < at.callees.size()) {
        MethodInfo callee = at.callees.get(at.next++);
        Node known = open.get(callee);
        if (known != null) {
          at.lowest = Math.min(at.lowest, known.number);
          at.callsItself |= known == at;
        } else if (!callee.isDecided()) {
          path.add(enter(callee));
        }
      } else {
        path.removeLast();
        if (!path.isEmpty()) {
          Node caller = path.getLast();
          caller.lowest = Math.min(caller.lowest, at.lowest);
        }
        if (at.lowest == at.number) {
          decide(at);
        }
      }
    }
  }

  private Node enter(MethodInfo method) {
    Code code = null;
    List<MethodInfo> callees = List.of();
    try {
      host.steps().grant(0);
      code = Analysis.code(method);
      method.describe(code.firstLine(), code.size());
      host.steps().grant(code.weight());
      callees = Callees.of(method, code, host);
    } catch (Refused e) {
      refuse(method, code, e);
    } catch (RuntimeException e) {
      refuse(method, code, broken(e));
    }
    Node node = new Node(method, ++visited, code, callees);
    open.put(method, node);
    undecided.add(node);
    return node;
  }

  /// Determines the verdicts on a strongly connected component, which consists of the last
  /// undecided methods.
  private void decide(Node first) {
    int from = undecided.size() - 1;
    while (undecided.get(from) != first) {
      from--;
    }
    List<Node> together = undecided.subList(from, undecided.size());
    boolean recursive = together.size() > 1 || first.callsItself;
    for (Node node : together) {
      open.remove(node.method);
      if (recursive && !node.method.isDecided()) {
        node.method.refuse(Reason.RECURSION, line(node, -1), recursion(together));
      } else if (!recursive) {
        analyze(node);
      }
    }
    together.clear();
  }

  private static String recursion(List<Node> together) {
    return together.size() == 1
        ? "the method calls itself"
        : "the method and "
            + (together.size() - 1)
            + " others call each other, among them "
            + together.getLast().method.shown();
  }

  private void analyze(Node node) {
    Code code = node.code;
    if (code == null || node.method.isDecided()) {
      return;
    }
    try {
      host.steps().grant(code.weight());
      node.method.accept(Analysis.of(node.method, code, host));
    } catch (Refused e) {
      refuse(node.method, code, e);
    } catch (RuntimeException e) {
      refuse(node.method, code, broken(e));
    }
  }

  /// Returns the refusal for an error of the ClassFile API. The API reads constants lazily, so an
  /// error can occur at any time.
  private static Refused broken(RuntimeException e) {
    return new Refused(Reason.MALFORMED, -1, "the class file is broken: " + e);
  }

  private static void refuse(MethodInfo method, @Nullable Code code, Refused e) {
    method.refuse(e.reason(), code == null ? 0 : code.line(e.at()), e.why());
  }

  private static int line(Node node, int at) {
    return node.code == null ? 0 : node.code.line(at);
  }
}
