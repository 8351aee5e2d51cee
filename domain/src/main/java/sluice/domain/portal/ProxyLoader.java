package sluice.domain.portal;

/// Defines one proxy class. The loader resolves the interface as its holder does, and additionally
/// resolves [Proxy], so the holder's loader does not have to know Sluice. The loader is
/// garbage-collected together with the proxies. Any thread may call.
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
