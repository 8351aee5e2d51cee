package sluice.domain.inside;

import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.util.HashMap;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/// Creates the MBean server of a domain, through which the beans of the JVM can be read. Stateless.
public final class OwnBeans {
  private OwnBeans() {}

  /// A bean of the JVM that cannot be changed and sends no notifications, because a listener would
  /// run on a thread of the JVM.
  private static final class ReadOnly extends StandardMBean {
    private final String name;

    <T> ReadOnly(T bean, Class<T> type, ObjectName name) {
      super(bean, type, true);
      this.name = name.getCanonicalName();
    }

    private SecurityException refusal(String what) {
      return OwnBeans.refusal(what + " of " + name);
    }

    @Override
    public void setAttribute(Attribute attribute) {
      throw refusal("setting " + attribute.getName());
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
      throw refusal("setting attributes");
    }

    @Override
    public @Nullable Object invoke(String method, Object[] arguments, String[] types)
        throws javax.management.MBeanException, javax.management.ReflectionException {
      if (!method.matches("(get|find|is|dumpAllThreads).*")) {
        throw refusal(method);
      }
      return super.invoke(method, arguments, types);
    }
  }

  /// Returns the exception thrown for an attempt to change a bean of the JVM.
  public static SecurityException refusal(String what) {
    return new SecurityException(
        what
            + ". Why: the bean is that of the whole JVM. Fix: read its attributes, or set it when"
            + " the JVM is started");
  }

  private record Found<T extends PlatformManagedObject>(Class<T> type, T bean) {
    StandardMBean readOnly() {
      return new ReadOnly(bean, type, bean.getObjectName());
    }
  }

  /// Returns a new server that is not listed by the JVM.
  public static MBeanServer server() {
    Map<ObjectName, Found<?>> beans = new HashMap<>();
    for (Class<? extends PlatformManagedObject> type :
        ManagementFactory.getPlatformManagementInterfaces()) {
      collect(type, beans);
    }
    MBeanServer made = MBeanServerFactory.newMBeanServer();
    beans.forEach((name, found) -> {
      try {
        made.registerMBean(found.readOnly(), name);
      } catch (JMException e) {
        throw new IllegalStateException("a bean of the JVM: " + name, e);
      }
    });
    return made;
  }

  /// Collects the beans of one management interface. A bean is stored under its most specific
  /// interface.
  private static <T extends PlatformManagedObject> void collect(
      Class<T> type, Map<ObjectName, Found<?>> beans) {
    for (T bean : ManagementFactory.getPlatformMXBeans(type)) {
      Found<T> found = new Found<>(type, bean);
      beans.merge(
          bean.getObjectName(),
          found,
          (known, next) -> known.type().isAssignableFrom(next.type()) ? next : known);
    }
  }

  /// Returns the identifier of a server.
  public static String identifier(MBeanServer server) {
    try {
      return (String) server.getAttribute(MBeanServerDelegate.DELEGATE_NAME, "MBeanServerId");
    } catch (JMException e) {
      throw new IllegalStateException("each server of beans has an identifier", e);
    }
  }
}
