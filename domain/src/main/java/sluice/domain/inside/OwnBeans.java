package sluice.domain.inside;

import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerFactory;

/// Makes the server of beans of one domain, in which the beans of the JVM are too. Stateless.
public final class OwnBeans {
  private OwnBeans() {}

  /// A server that the JVM does not list.
  public static MBeanServer server() {
    MBeanServer made = MBeanServerFactory.newMBeanServer();
    for (Class<? extends PlatformManagedObject> type :
        ManagementFactory.getPlatformManagementInterfaces()) {
      for (PlatformManagedObject bean : ManagementFactory.getPlatformMXBeans(type)) {
        try {
          if (!made.isRegistered(bean.getObjectName())) {
            made.registerMBean(bean, bean.getObjectName());
          }
        } catch (JMException e) {
          throw new IllegalStateException("a bean of the JVM: " + bean.getObjectName(), e);
        }
      }
    }
    return made;
  }

  static String identifier(MBeanServer server) {
    try {
      return (String) server.getAttribute(MBeanServerDelegate.DELEGATE_NAME, "MBeanServerId");
    } catch (JMException e) {
      throw new IllegalStateException("each server of beans has an identifier", e);
    }
  }
}
