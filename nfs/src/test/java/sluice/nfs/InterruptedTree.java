package sluice.nfs;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// A file tree that runs an action between two calls of its user, as a concurrent client would. Not
/// thread-safe.
public final class InterruptedTree implements InvocationHandler {
  /// Matches any inode.
  public static final long ANY = -1;

  /// The action to run.
  public interface Act {
    void run() throws Exception;
  }

  private @Nullable FileTree tree;
  private @Nullable Act act;
  private String method = "";
  private long inode;

  /// Returns a tree that forwards all calls to the given one.
  public FileTree over(FileTree whole) {
    tree = whole;
    return (FileTree)
        Proxy.newProxyInstance(
            FileTree.class.getClassLoader(), new Class<?>[] {FileTree.class}, this);
  }

  /// Runs an action once, before the next call of a method with the given inode.
  public void before(String name, long of, Act what) {
    method = name;
    inode = of;
    act = what;
  }

  /// Returns true if the action has run.
  public boolean happened() {
    return act == null;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method called, @Nullable Object @Nullable [] args)
      throws Throwable {
    Act now = act;
    boolean meant = args != null && (inode == ANY || Arrays.asList(args).contains(inode));
    if (now != null && called.getName().equals(method) && meant) {
      act = null;
      now.run();
    }
    if (called.getName().equals("find")) { // the calls inside of find are intercepted too
      return InvocationHandler.invokeDefault(proxy, called, args);
    }
    try {
      return called.invoke(tree, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
