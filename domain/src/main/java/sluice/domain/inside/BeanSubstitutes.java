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

/// What translated code calls where it would get the server of beans of the JVM: it gets one of its
/// domain, so its listeners and filters run where the domain registers a bean, and nowhere else.
/// Each domain defines a copy, as of [Substitutes]. Any thread may call.
public final class BeanSubstitutes {
  private static final Home HOME = Inside.home(BeanSubstitutes.class);

  private BeanSubstitutes() {}

  @InsteadOf("java/lang/management/ManagementFactory.getPlatformMBeanServer")
  public static MBeanServer platform() {
    return HOME.beans();
  }

  /// Makes a server that the factory does not know: it would keep it for ever.
  @InsteadOf("javax/management/MBeanServerFactory.createMBeanServer")
  public static MBeanServer create() {
    return MBeanServerFactory.newMBeanServer();
  }

  @InsteadOf("javax/management/MBeanServerFactory.createMBeanServer")
  public static MBeanServer create(String domain) {
    return MBeanServerFactory.newMBeanServer(domain);
  }

  /// The domain's own, if it has that identifier.
  @SuppressWarnings("NonApiType") // the type of what it stands for
  @InsteadOf("javax/management/MBeanServerFactory.findMBeanServer")
  public static ArrayList<MBeanServer> find(@Nullable String agent) {
    MBeanServer own = HOME.beans();
    boolean isAsked = agent == null || agent.equals(OwnBeans.identifier(own));
    return new ArrayList<>(isAsked ? List.of(own) : List.of());
  }

  /// A bean of the JVM calls its listeners on the one thread that the JVM has for that, also after
  /// the end of their domain.
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
