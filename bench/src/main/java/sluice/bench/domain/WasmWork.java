package sluice.bench.domain;

import com.dylibso.chicory.runtime.ExportFunction;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.wasm.Parser;
import java.util.HexFormat;

/// Calls of a function in a Wasm module, which Chicory interprets. Stateless.
final class WasmWork {
  /// The module `(module (global (mut i32) (i32.const 0)) (func (export "nothing") (global.set 0
  /// (i32.add (global.get 0) (i32.const 1)))))`, which does the same as the service of a portal.
  private static final String MODULE =
      "0061736d01000000"
          + "010401600000"
          + "03020100"
          + "0606017f0141000b"
          + "070b01076e6f7468696e670000"
          + "0a0b010900230041016a24000b";

  private WasmWork() {}

  static Work make() {
    Instance instance = Instance.builder(Parser.parse(HexFormat.of().parseHex(MODULE))).build();
    ExportFunction nothing = instance.export("nothing");
    return times -> {
      for (int i = 0; i < times; i++) {
        nothing.apply();
      }
      return times;
    };
  }
}
