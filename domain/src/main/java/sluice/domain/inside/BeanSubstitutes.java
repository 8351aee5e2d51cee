package sluice.domain.inside;

import java.lang.management.PlatformManagedObject;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.NotificationBroadcaster;
import javax.management.NotificationFilter;
import javax.management.NotificationListener;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsteadOf.Kind;

/// Substitutes for calls that return the JVM's MBean server. Translated code receives the server of
/// its domain, so its listeners and filters only run when the domain itself registers a bean. Each
/// domain defines a copy, like [Substitutes]. Any thread may call.
public final class BeanSubstitutes {
  private static final Home HOME = Inside.home(BeanSubstitutes.class);

  private BeanSubstitutes() {}

  @InsteadOf("java/lang/management/ManagementFactory.getPlatformMBeanServer")
  public static MBeanServer platform() {
    return HOME.beans();
  }

  /// Creates a server that is not listed by the factory, because the factory would keep it forever.
  @InsteadOf("javax/management/MBeanServerFactory.createMBeanServer")
  public static MBeanServer create() {
    return MBeanServerFactory.newMBeanServer();
  }

  @InsteadOf("javax/management/MBeanServerFactory.createMBeanServer")
  public static MBeanServer create(String domain) {
    return MBeanServerFactory.newMBeanServer(domain);
  }

  /// Returns the domain's own server if it has the identifier.
  @SuppressWarnings("NonApiType") // the return type of the original
  @InsteadOf("javax/management/MBeanServerFactory.findMBeanServer")
  public static ArrayList<MBeanServer> find(@Nullable String agent) {
    MBeanServer own = HOME.beans();
    boolean isAsked = agent == null || agent.equals(OwnBeans.identifier(own));
    return new ArrayList<>(isAsked ? List.of(own) : List.of());
  }

  /// Rejects listeners on beans of the JVM, because these call their listeners on a single thread
  /// of the JVM, even after the domain of the listener has ended.
  @InsteadOf(
      value = {
        "javax/management/NotificationBroadcaster.addNotificationListener",
        "javax/management/NotificationEmitter.addNotificationListener"
      },
      kind = Kind.RECEIVER)
  public static void listen(
      NotificationBroadcaster bean,
      NotificationListener listener,
      @Nullable NotificationFilter filter,
      @Nullable Object with) {
    if (bean instanceof PlatformManagedObject ofJvm) {
      throw OwnBeans.refusal("listening to " + ofJvm.getObjectName());
    }
    bean.addNotificationListener(listener, filter, with);
  }
}
