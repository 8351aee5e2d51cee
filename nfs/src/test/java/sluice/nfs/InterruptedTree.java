package sluice.nfs;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;

/// Does something to a tree between two steps of its user, as others do that are not waited for. Of
/// one thread.
public final class InterruptedTree implements InvocationHandler {
  /// Any file.
  public static final long ANY = -1;

  /// What is done in between.
  public interface Act {
    void run() throws Exception;
  }

  private @Nullable FileTree tree;
  private @Nullable Act act;
  private String method = "";
  private long inode;

  /// The tree as it is to be used.
  public FileTree over(FileTree whole) {
    tree = whole;
    return (FileTree)
        Proxy.newProxyInstance(
            FileTree.class.getClassLoader(), new Class<?>[] {FileTree.class}, this);
  }

  /// Does something once: before the next call of a method with this inode.
  public void before(String name, long of, Act what) {
    method = name;
    inode = of;
    act = what;
  }

  /// Whether it was done.
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
    if (called.getName().equals("find")) { // its steps are steps as well
      return InvocationHandler.invokeDefault(proxy, called, args);
    }
    try {
      return called.invoke(tree, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
