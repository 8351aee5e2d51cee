package sluice.domain.portal;

/// Defines one proxy class. It sees the interface as its holder does, and adds [Proxy], so the
/// holder's loader need not know Sluice. It is collected together with the proxies. Any thread may
/// call.
final class ProxyLoader extends ClassLoader {
  ProxyLoader(ClassLoader holder) {
    super(holder);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    return name.equals(Proxy.class.getName()) ? Proxy.class : super.loadClass(name, resolve);
  }

  Class<?> define(String name, byte[] code) {
    return defineClass(name, code, 0, code.length);
  }
}
